"""Names of types that the language itself does not name."""


def _function():
    pass


def _generator():
    yield


class _Class:
    def method(self):
        pass


FunctionType = LambdaType = type(_function)
GeneratorType = type(_generator())
MethodType = type(_Class().method)
NoneType = type(None)


class SimpleNamespace:
    """An object with the attributes that it is given."""

    def __init__(self, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)

    def __repr__(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"namespace({shown})"

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and vars(self) == vars(other)
