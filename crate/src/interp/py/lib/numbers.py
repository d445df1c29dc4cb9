"""Names of abstract numbers."""


class Number:
    pass


class Real:
    pass


class Integral:
    pass
