//! Standard modules that are tables of rows.

use super::{copying, functools, itertools, math, named_tuple};
use crate::builtin;
use crate::interp::NativeModule;
use crate::interp::object::TypeTag;
use crate::interp::raised::{Exception, Raised};
use crate::interp::value::Value;

/// The modules.
pub const MODULES: &[NativeModule] = &[
    NativeModule {
        name: "math",
        init: |cx, id| {
            cx.define_rows(id, math::MATH_ROWS);
            math::MATH_CONSTANTS
                .iter()
                .for_each(|(name, value)| cx.define(id, name, Value::Float(*value)));
            Ok(())
        },
    },
    NativeModule {
        name: "functools",
        init: |cx, id| {
            cx.define_rows(id, functools::FUNCTOOLS_ROWS);
            Ok(())
        },
    },
    NativeModule {
        name: "operator",
        init: |cx, id| {
            cx.define_rows(id, functools::OPERATOR_ROWS);
            Ok(())
        },
    },
    NativeModule {
        name: "itertools",
        init: |cx, id| {
            cx.define_rows(id, itertools::ITERTOOLS_ROWS);
            cx.define(id, "chain", Value::native(itertools::ChainFunction));
            Ok(())
        },
    },
    NativeModule {
        name: "_collections",
        init: |cx, id| {
            cx.define_rows(id, named_tuple::ROWS);
            let (object, tuple) = (cx.type_class(TypeTag::Object), cx.type_class(TypeTag::Tuple));
            let class = cx.builtin_class("NamedTuple", Some(&tuple), TypeTag::Tuple, false);
            cx.define(id, "NamedTuple", Value::Class(class));
            let meta = cx.builtin_class("ABCMeta", Some(&object), TypeTag::Object, false);
            cx.define(id, "ABCMeta", Value::Class(meta));
            Ok(())
        },
    },
    NativeModule {
        name: "_copy",
        init: |cx, id| {
            cx.define_rows(id, copying::ROWS);
            Ok(())
        },
    },
    NativeModule {
        name: "importlib",
        init: |cx, id| {
            cx.define_rows(id, IMPORT_ROWS);
            Ok(())
        },
    },
    NativeModule {
        name: "sys",
        init: |cx, id| {
            cx.define_rows(id, SYS_ROWS);
            cx.define(id, "argv", Value::list(vec![Value::from("script.py")]));
            cx.define(id, "path", Value::list(Vec::new()));
            cx.define(id, "platform", Value::from("linux"));
            cx.define(id, "maxsize", Value::Int(i64::MAX));
            cx.define(id, "version", Value::from("3.11.0"));
            cx.define(id, "version_info", Value::tuple([3, 11, 0].map(Value::Int)));
            cx.define(id, "modules", Value::dict(crate::interp::dict::Dict::default()));
            for name in ["stdout", "stderr"] {
                cx.define(id, name, Value::None);
            }
            Ok(())
        },
    },
];

builtin! {
    /// Functions of `importlib`.
    pub IMPORT_ROWS;
    /// Imports a module by its name; one that begins with dots is found from `package`.
    "import_module" "(name, package=None)" => |cx, args| {
        let name = args.str(0)?;
        let relative = name.trim_start_matches('.');
        let level = name.len() - relative.len();
        let full = match (level, args.some(1)) {
            (0, _) => name.to_owned(),
            (_, None) => {
                let text = format!("the 'package' argument is required to perform a relative import for '{name}'");
                return Err(Raised::type_error(text));
            }
            (level, Some(_)) => {
                let package: Vec<&str> = args.str(1)?.split('.').collect();
                let kept = package.len().checked_sub(level - 1).filter(|&kept| kept > 0);
                let Some(kept) = kept else {
                    return Err(Raised::new(Exception::ImportError, "attempted relative import beyond top-level package"));
                };
                let parts = package.into_iter().take(kept).chain([relative]).filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(".")
            }
        };
        cx.import(&full).map(Value::Module)
    };
}

builtin! {
    /// Functions of `sys`.
    pub SYS_ROWS;
    /// Ends the script.
    "exit" "(status=None, /)" => |_cx, _args| Err(Raised::new(Exception::SystemExit, "the script called sys.exit()"));
    /// The limit of nested calls.
    "getrecursionlimit" "()" => |cx, _args| Ok(Value::from(cx.limits.recursion));
    /// Has no effect here.
    "setrecursionlimit" "(limit, /)" => |_cx, _args| Ok(Value::None);
}
