"""Paths as text."""


def join(first, *parts):
    result = first
    for part in parts:
        result = part if part.startswith("/") else result.rstrip("/") + "/" + part if result else part
    return result


def basename(path):
    return path.rsplit("/", 1)[-1]


def dirname(path):
    return path.rsplit("/", 1)[0] if "/" in path else ""


def splitext(path):
    base = basename(path)
    if "." not in base.lstrip("."):
        return (path, "")
    extension = "." + base.rsplit(".", 1)[1]
    return (path[:-len(extension)], extension)


def split(path):
    return (dirname(path), basename(path))


def abspath(path):
    return path


realpath = normpath = expanduser = abspath


def exists(path):
    return False


isfile = isdir = exists
