"""Warnings: they are dropped."""
from contextlib import nullcontext as catch_warnings


def warn(*args, **kwargs):
    pass


simplefilter = filterwarnings = warn_explicit = warn
