"""Names for annotations; they have no effect, but `isinstance` knows the abstract containers."""
from _collections import NamedTuple


class Any: pass
class Callable: pass
class Iterable: pass
class Iterator: pass
class Collection: pass
class Sequence: pass
class MutableSequence: pass
class Mapping: pass
class MutableMapping: pass
class Generator: pass
class Hashable: pass
class Generic: pass
class Protocol: pass
class Literal: pass
class ClassVar: pass
class Final: pass
class Annotated: pass
class TypedDict(dict): pass
class Type: pass
class Self: pass
class TypeAlias: pass
class NoReturn: pass
class Concatenate: pass


class Union:
    def __class_getitem__(cls, types):
        return types if isinstance(types, tuple) else (types,)


class Optional:
    def __class_getitem__(cls, kind):
        return (kind, None)


List, Dict, Tuple, Set, FrozenSet, Text = list, dict, tuple, set, frozenset, str
DefaultDict = OrderedDict = dict
TYPE_CHECKING = False


def TypeVar(name, *constraints, **options):
    return Any


ParamSpec = NewType = TypeVar


def cast(kind, value):
    return value


def overload(function):
    return function


final = runtime_checkable = no_type_check = override = overload


def get_type_hints(obj):
    return getattr(obj, "__annotations__", {})


def get_origin(kind):
    return None


def get_args(kind):
    return kind if isinstance(kind, tuple) else ()
