"""Logging: messages are dropped."""

DEBUG, INFO, WARNING, ERROR, CRITICAL = 10, 20, 30, 40, 50


class Logger:
    """Drops its messages."""

    def __init__(self, name="root"):
        self.name = name
        self.handlers = []

    def debug(self, *args, **kwargs):
        pass

    info = warning = warn = error = exception = critical = log = debug
    setLevel = addHandler = removeHandler = debug

    def isEnabledFor(self, level):
        return False

    def getEffectiveLevel(self):
        return WARNING


class Handler(Logger):
    """Does nothing."""

    setFormatter = Logger.debug


StreamHandler = FileHandler = NullHandler = Formatter = Handler


def getLogger(name="root"):
    return Logger(name)


def basicConfig(**kwargs):
    pass


def debug(*args, **kwargs):
    pass


info = warning = warn = error = exception = critical = debug
