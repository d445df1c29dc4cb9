"""What an object is."""
import types


def isfunction(thing):
    return isinstance(thing, types.FunctionType)


def ismethod(thing):
    return isinstance(thing, types.MethodType)


def isclass(thing):
    return isinstance(thing, type)


def isgenerator(thing):
    return isinstance(thing, types.GeneratorType)
