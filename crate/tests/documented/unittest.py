"""What the documentation's tests use of unittest."""


class Raises:
    def __init__(self, expected):
        self.expected = expected
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        assert value is not None, "nothing was raised"
        self.exception = value
        return isinstance(value, self.expected)


class TestCase:
    def assertTrue(self, value, message="is not true"):
        assert value, message

    def assertFalse(self, value, message="is not false"):
        assert not value, message

    def assertEqual(self, left, right):
        assert left == right, f"{left} != {right}"

    def assertIn(self, item, container):
        assert item in container, f"{item!r} is not in {container!r}"

    def assertRaises(self, expected):
        return Raises(expected)
