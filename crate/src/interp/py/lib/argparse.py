"""Command-line arguments: there are none here, so every option has its default."""


class Namespace:
    """The parsed arguments."""

    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)


class ArgumentParser:
    """Collects options and gives their defaults."""

    def __init__(self, *args, **kwargs):
        self._defaults = {}

    def add_argument(self, *names, default=None, action=None, dest=None, **kwargs):
        name = dest or names[-1].lstrip("-").replace("-", "_")
        if action == "store_true" and default is None:
            default = False
        self._defaults[name] = default

    def parse_args(self, args=None):
        return Namespace(**self._defaults)
