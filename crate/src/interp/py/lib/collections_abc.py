"""Names of abstract containers."""
from typing import (
    Callable, Collection, Generator, Hashable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence, Set
)
