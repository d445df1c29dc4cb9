"""Context managers."""


class _GeneratorContext:
    def __init__(self, generator):
        self._generator = generator

    def __enter__(self):
        return next(self._generator)

    def __exit__(self, kind, value, traceback):
        if kind is None:
            for _ in self._generator:
                raise RuntimeError("generator didn't stop")
            return False
        try:
            self._generator.throw(value)
        except StopIteration:
            return True
        except BaseException as error:
            if error is value:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(function):
    """Makes a context manager of a generator with one `yield`."""

    def helper(*args, **kwargs):
        return _GeneratorContext(function(*args, **kwargs))

    return helper


class nullcontext:
    """Does nothing."""

    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *details):
        return False


class suppress:
    """Swallows exceptions of some classes."""

    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self._exceptions)
