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


class closing:
    """Closes an object at the end."""

    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *details):
        self.thing.close()
        return False


class ExitStack:
    """Leaves several context managers in the reverse of the order in which they were entered."""

    def __init__(self):
        self._exits = []

    def enter_context(self, manager):
        value = manager.__enter__()
        self._exits.append(manager.__exit__)
        return value

    def push(self, exit):
        self._exits.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, function, *args, **kwargs):
        def leave(*details):
            function(*args, **kwargs)
            return False

        self._exits.append(leave)
        return function

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        original = pending = details[1]
        while self._exits:
            leave = self._exits.pop()
            try:
                if leave(*details):
                    pending, details = None, (None, None, None)
            except BaseException as error:
                pending, details = error, (type(error), error, None)
        if pending is not None and pending is not original:
            raise pending
        return original is not None and pending is None
