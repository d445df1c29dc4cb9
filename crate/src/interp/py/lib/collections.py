"""Containers."""
from _collections import namedtuple


class OrderedDict(dict):
    """A dictionary; all of them keep their order."""

    __repr_name__ = "OrderedDict"

    def move_to_end(self, key, last=True):
        value = self.pop(key)
        if last:
            self[key] = value
        else:
            rest = list(self.items())
            self.clear()
            self[key] = value
            self.update(rest)


class defaultdict(dict):
    """A dictionary that makes missing values with a function."""

    def __init__(self, default_factory=None, *args, **kwargs):
        self.default_factory = default_factory
        self.update(*args, **kwargs)

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value

    def __repr__(self):
        return f"defaultdict({self.default_factory!r}, {dict(self)!r})"


class Counter(dict):
    """Counts of items."""

    __repr_name__ = "Counter"

    def __init__(self, iterable=(), **kwargs):
        self.subtract_or_add(iterable, 1)
        for key, count in kwargs.items():
            self[key] = self[key] + count

    def subtract_or_add(self, iterable, sign):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self[key] + sign * count
        else:
            for key in iterable:
                self[key] = self[key] + sign

    def __missing__(self, key):
        return 0

    def update(self, iterable=()):
        self.subtract_or_add(iterable, 1)

    def most_common(self, n=None):
        pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[:n]

    def elements(self):
        return [key for key, count in self.items() for _ in range(count)]

    def total(self):
        return sum(self.values())


class deque(list):
    """A list with two ends."""

    def __init__(self, iterable=(), maxlen=None):
        self.maxlen = maxlen
        for item in iterable:
            self.append(item)

    def append(self, item):
        self.insert(len(self), item)
        if self.maxlen is not None and len(self) > self.maxlen:
            del self[0]

    def appendleft(self, item):
        self.insert(0, item)
        if self.maxlen is not None and len(self) > self.maxlen:
            del self[-1]

    def popleft(self):
        return self.pop(0)

    def extendleft(self, items):
        for item in items:
            self.appendleft(item)

    def rotate(self, n=1):
        for _ in range(n % len(self) if self else 0):
            self.insert(0, self.pop())

    def __repr__(self):
        return f"deque({list(self)!r})"
