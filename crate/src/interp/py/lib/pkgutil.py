"""Packages that lie in several folders, and lists of modules."""


def extend_path(path, name):
    """The folders of a package; here a package has one."""
    return path


def iter_modules(path=None, prefix=""):
    raise NotImplementedError("the playground cannot list the modules of a folder: import them by name")


def walk_packages(path=None, prefix="", onerror=None):
    raise NotImplementedError("the playground cannot list the modules of a folder: import them by name")
