"""Abstract base classes."""
from _collections import ABCMeta


class ABC:
    """A class that may have abstract methods."""


def abstractmethod(function):
    """Marks a method that a derived class must define."""
    function.__isabstractmethod__ = True
    return function
