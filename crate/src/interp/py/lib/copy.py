"""Copies of objects."""
from _copy import shallow as copy, deep as deepcopy
