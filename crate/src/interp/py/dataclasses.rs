//! The module `dataclasses`.

use std::rc::Rc;

use crate::builtin;
use crate::interp::builtin::{Args, CallArgs, missing_arguments, too_many_text, unexpected_keyword};
use crate::interp::dict::Dict;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::object::{Class, Dataclass, Field, Instance};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::{Name, Value};
use crate::interp::{Interp, NativeModule};
use crate::syntax::ast::CompareOp;

/// The module.
pub const MODULES: &[NativeModule] = &[NativeModule {
    name: "dataclasses",
    init,
}];

fn init(cx: &mut Interp, module: ModuleId) -> Result<()> {
    cx.define_rows(module, ROWS);
    cx.define(module, "MISSING", Value::native(Missing));
    let frozen = cx.builtins.get("FrozenInstanceError").cloned().unwrap_or(Value::None);
    cx.define(module, "FrozenInstanceError", frozen);
    let object = cx.type_class(crate::interp::object::TypeTag::Object);
    for name in ["InitVar", "KW_ONLY", "Field"] {
        let class = cx.builtin_class(name, Some(&object), crate::interp::object::TypeTag::Object, false);
        cx.define(module, name, Value::Class(class));
    }
    Ok(())
}

/// What `@dataclass(…)` was told.
#[derive(Clone, Copy)]
pub struct Options {
    init: bool,
    eq: bool,
    order: bool,
    frozen: bool,
    keyword_only: bool,
    /// Whether a field without a default is `None` instead of required.
    lenient: bool,
}

impl Options {
    /// For classes that are data classes without a decorator, as NKI's are.
    pub fn automatic() -> Self {
        Self {
            init: true,
            eq: true,
            order: false,
            frozen: false,
            keyword_only: false,
            lenient: true,
        }
    }

    fn from_args(args: &Args) -> Result<Self> {
        Ok(Self {
            init: args.truth_or(1, true)?,
            eq: args.truth_or(3, true)?,
            order: args.truth_or(4, false)?,
            frozen: args.truth_or(5, false)?,
            keyword_only: args.truth_or(7, false)?,
            lenient: false,
        })
    }
}

/// The marker of a missing default.
struct Missing;

impl NativeObject for Missing {
    fn type_name(&self) -> &str {
        "_MISSING_TYPE"
    }
}

/// What `field(…)` returns.
struct FieldSpec(Field);

impl NativeObject for FieldSpec {
    fn type_name(&self) -> &str {
        "Field"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok(match name {
            "name" => Some(Value::Str(Rc::clone(&self.0.name))),
            "default" => Some(self.0.default.clone().unwrap_or_else(|| Value::native(Missing))),
            "init" => Some(Value::Bool(self.0.init)),
            "repr" => Some(Value::Bool(self.0.repr)),
            _ => None,
        })
    }
}

/// What `@dataclass(…)` with arguments returns.
struct Decorator(Options);

impl NativeObject for Decorator {
    fn type_name(&self) -> &str {
        "function"
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let Some(Value::Class(class)) = args.positional.first().map(|arg| arg.value.clone()) else {
            return Err(Raised::type_error("dataclass() should be called on a class"));
        };
        cx.make_dataclass(&class, &self.0)?;
        Ok(Some(Value::Class(class)))
    }
}

builtin! {
    /// Functions of `dataclasses`.
    pub ROWS;
    /// Gives a class a constructor, text and comparison from its annotations.
    "dataclass" "(cls=None, /, *, init=True, repr=True, eq=True, order=False, frozen=False, unsafe_hash=False, kw_only=False, slots=False, match_args=True)" => |cx, args| {
        let options = Options::from_args(args)?;
        match args.some(0).cloned() {
            Some(Value::Class(class)) => {
                cx.make_dataclass(&class, &options)?;
                Ok(Value::Class(class))
            }
            None => Ok(Value::native(Decorator(options))),
            Some(_) => Err(args.wrong(0, "a class")),
        }
    };
    /// Says more about a field than its default.
    "field" "(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=False)" => |_cx, args| {
        Ok(Value::native(FieldSpec(Field {
            name: "".into(),
            default: args.get(0).cloned(),
            factory: args.get(1).cloned(),
            init: args.truth_or(2, true)?,
            repr: args.truth_or(3, true)?,
            compare: args.truth_or(5, true)?,
            keyword_only: args.truth_or(7, false)?,
        })))
    };
    /// The fields of a data class or of one of its objects.
    "fields" "(class_or_instance)" => |cx, args| {
        let data = cx.dataclass_arg(args)?;
        Ok(Value::tuple(data.fields.iter().map(|field| Value::native(FieldSpec(field.clone())))))
    };
    /// The fields as a dictionary, nested data classes too.
    "asdict" "(obj)" => |cx, args| {
        cx.dataclass_arg(args)?;
        cx.as_plain(args.value(0), true)
    };
    /// The fields as a tuple, nested data classes too.
    "astuple" "(obj)" => |cx, args| {
        cx.dataclass_arg(args)?;
        cx.as_plain(args.value(0), false)
    };
    /// A copy with some fields changed.
    "replace" "(obj, /, **changes)" => |cx, args| {
        let data = cx.dataclass_arg(args)?;
        let object = args.value(0).clone();
        let mut call = CallArgs::default();
        for field in data.fields.iter().filter(|field| field.init) {
            let changed = args.keywords().iter().find(|(name, _)| *name == field.name);
            let value = match changed {
                Some((_, arg)) => arg.value.clone(),
                None => cx.getattr(&object, &field.name)?,
            };
            call = call.keyword(&field.name, value);
        }
        if let Some((name, arg)) = args.keywords().iter().find(|(name, _)| !data.fields.iter().any(|field| field.name == *name)) {
            let names = data.fields.iter().map(|field| &*field.name);
            return Err(unexpected_keyword("replace", name, names).at(arg.span));
        }
        let class = Value::Class(cx.class_of(&object));
        cx.call(&class, call)
    };
    /// Whether it is a data class or an object of one.
    "is_dataclass" "(obj)" => |cx, args| Ok(Value::Bool(cx.dataclass_arg(args).is_ok()));
}

builtin! {
    /// Methods that a data class gets.
    pub METHODS;
    /// Sets the fields from arguments.
    "__init__" "(self, *args, **kwargs)" => |cx, args| {
        let object = args.value(0).clone();
        let call = args.forward();
        cx.init_dataclass(&object, call)?;
        Ok(Value::None)
    };
}

impl Interp {
    /// The data class information of a class or its bases.
    pub(crate) fn dataclass_of(&self, class: &Rc<Class>) -> Option<Rc<Dataclass>> {
        if let Some(data) = &*class.dataclass.borrow() {
            return Some(Rc::clone(data));
        }
        class.mro.iter().find_map(|base| base.dataclass.borrow().clone())
    }

    fn dataclass_arg(&mut self, args: &Args) -> Result<Rc<Dataclass>> {
        let class = match args.value(0) {
            Value::Class(class) => Rc::clone(class),
            Value::Instance(instance) => Rc::clone(&instance.class),
            _ => return Err(args.wrong(0, "a dataclass type or instance")),
        };
        self.dataclass_of(&class)
            .ok_or_else(|| args.wrong(0, "a dataclass type or instance"))
    }

    /// Applies `@dataclass`.
    pub(crate) fn make_dataclass(&mut self, class: &Rc<Class>, options: &Options) -> Result<()> {
        let mut fields: Vec<Field> = Vec::new();
        for base in class.mro.iter().rev() {
            if let Some(data) = &*base.dataclass.borrow() {
                data.fields
                    .iter()
                    .for_each(|field| set_field(&mut fields, field.clone()));
            }
        }
        let annotations = class.attrs.borrow().get("__annotations__").cloned();
        if let Some(Value::Dict(annotations)) = annotations {
            let entries: Vec<(Value, Value)> = annotations
                .borrow()
                .iter()
                .map(|entry| (entry.key.clone(), entry.value.clone()))
                .collect();
            let mut keyword_only = options.keyword_only;
            for (name, annotation) in entries {
                let (Some(name), text) = (name.as_str(), annotation.as_str().unwrap_or_default()) else {
                    continue;
                };
                if text.contains("KW_ONLY") {
                    keyword_only = true;
                } else if !text.contains("ClassVar") {
                    let field = self.own_field(class, name, keyword_only, options.lenient)?;
                    set_field(&mut fields, field);
                }
            }
        }
        check_order(&fields)?;
        let names = fields.iter().filter(|field| field.init && !field.keyword_only);
        let names: Vec<Value> = names.map(|field| Value::Str(Rc::clone(&field.name))).collect();
        let data = Dataclass {
            fields,
            frozen: options.frozen,
            eq: options.eq,
            order: options.order,
        };
        *class.dataclass.borrow_mut() = Some(Rc::new(data));
        let mut attrs = class.attrs.borrow_mut();
        if options.init && attrs.get("__init__").is_none() {
            attrs.set(&"__init__".into(), Value::Builtin(&METHODS[0]));
        }
        attrs.set(&"__match_args__".into(), Value::tuple(names));
        Ok(())
    }

    fn own_field(&mut self, class: &Rc<Class>, name: &str, keyword_only: bool, lenient: bool) -> Result<Field> {
        let default = class.attrs.borrow().get(name).cloned();
        if let Some(spec) = default.as_ref().and_then(|value| value.downcast::<FieldSpec>()) {
            let field = Field {
                name: name.into(),
                keyword_only: keyword_only || spec.0.keyword_only,
                ..spec.0.clone()
            };
            match &field.default {
                // A decorator may follow and needs to see the specification again.
                _ if lenient => {}
                Some(value) => class.attrs.borrow_mut().set(&name.into(), value.clone()),
                None => drop(class.attrs.borrow_mut().remove(name)),
            }
            return Ok(field);
        }
        if let Some(value @ (Value::List(_) | Value::Dict(_) | Value::Set(_))) = &default
            && !lenient
        {
            let kind = value.tag().name();
            let text = format!("mutable default <class '{kind}'> for field {name} is not allowed: use default_factory");
            return Err(Raised::value_error(text).hint(format!("{name}: {kind} = field(default_factory={kind})")));
        }
        let default = if lenient {
            default.or(Some(Value::None))
        } else {
            default
        };
        Ok(Field {
            name: name.into(),
            default,
            factory: None,
            init: true,
            repr: true,
            compare: true,
            keyword_only,
        })
    }

    fn init_dataclass(&mut self, object: &Value, args: CallArgs) -> Result<()> {
        let Value::Instance(instance) = object else {
            return Err(Raised::type_error("__init__ needs an instance"));
        };
        let Some(data) = self.dataclass_of(&instance.class) else {
            return Ok(());
        };
        let mut given = self.bind_fields(instance, &data, args)?;
        for field in &data.fields {
            let value = match (
                given.iter().position(|(name, _)| *name == field.name),
                &field.factory,
                &field.default,
            ) {
                (Some(at), _, _) => given.swap_remove(at).1,
                (None, Some(factory), _) => self.call_values(&factory.clone(), Vec::new())?,
                (None, None, Some(default)) => default.clone(),
                (None, None, None) => continue,
            };
            instance.attrs.borrow_mut().set(&field.name, value);
        }
        if instance.class.lookup("__post_init__").is_some() {
            self.call_special(object, "__post_init__", Vec::new())?;
        }
        Ok(())
    }

    fn bind_fields(&mut self, instance: &Rc<Instance>, data: &Dataclass, args: CallArgs) -> Result<Vec<(Name, Value)>> {
        let function = format!("{}.__init__", instance.class.name);
        let open: Vec<&Field> = data
            .fields
            .iter()
            .filter(|field| field.init && !field.keyword_only)
            .collect();
        let required = |field: &Field| field.init && field.default.is_none() && field.factory.is_none();
        let count = args.positional.len();
        if let Some(extra) = args.positional.get(open.len()) {
            let needed = open.iter().filter(|field| required(field)).count();
            let text = too_many_text(&function, needed + 1, open.len() + 1, count + 1);
            return Err(Raised::argument_error(text).at(extra.span));
        }
        let mut given: Vec<(Name, Value)> = open
            .iter()
            .zip(args.positional)
            .map(|(field, arg)| (Rc::clone(&field.name), arg.value))
            .collect();
        for (name, arg) in args.keywords {
            if given.iter().any(|(other, _)| *other == name) {
                let text = format!("{function}() got multiple values for argument '{name}'");
                return Err(Raised::argument_error(text).at(arg.span));
            }
            if !data.fields.iter().any(|field| field.init && field.name == name) {
                let names = data.fields.iter().map(|field| &*field.name);
                return Err(unexpected_keyword(&function, &name, names).at(arg.span));
            }
            given.push((name, arg.value));
        }
        let missing: Vec<&str> = data
            .fields
            .iter()
            .filter(|field| required(field))
            .map(|field| &*field.name)
            .collect();
        let missing: Vec<&str> = missing
            .into_iter()
            .filter(|name| !given.iter().any(|(other, _)| **other == **name))
            .collect();
        if missing.is_empty() {
            Ok(given)
        } else {
            Err(missing_arguments(&function, "positional", &missing))
        }
    }

    /// The values of the fields that comparisons use.
    pub(crate) fn field_values(&self, instance: &Instance, data: &Dataclass) -> Vec<Value> {
        let compared = data.fields.iter().filter(|field| field.compare);
        compared
            .map(|field| instance.attrs.borrow().get(&field.name).cloned().unwrap_or(Value::None))
            .collect()
    }

    /// Comparison of two objects of the same data class; `None` if it does not apply.
    pub(crate) fn compare_dataclass(&mut self, op: CompareOp, a: &Value, b: &Value) -> Result<Option<Value>> {
        let (Value::Instance(x), Value::Instance(y)) = (a, b) else {
            return Ok(None);
        };
        if !Rc::ptr_eq(&x.class, &y.class) || Rc::ptr_eq(x, y) && op == CompareOp::Eq {
            return Ok(None);
        }
        let Some(data) = self.dataclass_of(&x.class) else {
            return Ok(None);
        };
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        if (equality && !data.eq) || (!equality && !data.order) {
            return Ok(None);
        }
        let x = Value::tuple(self.field_values(x, &data));
        let y = Value::tuple(self.field_values(y, &data));
        self.compare(op, &x, &y).map(Some)
    }

    fn as_plain(&mut self, value: &Value, dict: bool) -> Result<Value> {
        match value {
            Value::Instance(instance) => {
                let Some(data) = self.dataclass_of(&instance.class) else {
                    return Ok(value.clone());
                };
                let mut table = Dict::default();
                let mut items = Vec::new();
                for field in &data.fields {
                    let inner = self.getattr(value, &field.name)?;
                    let inner = self.as_plain(&inner, dict)?;
                    if dict {
                        table.set_str(&field.name, inner);
                    } else {
                        items.push(inner);
                    }
                }
                Ok(if dict { Value::dict(table) } else { Value::tuple(items) })
            }
            Value::List(list) => {
                let items = list.borrow().clone();
                Ok(Value::list(
                    items
                        .iter()
                        .map(|item| self.as_plain(item, dict))
                        .collect::<Result<_>>()?,
                ))
            }
            Value::Tuple(items) => {
                let items: Vec<Value> = items
                    .iter()
                    .map(|item| self.as_plain(item, dict))
                    .collect::<Result<_>>()?;
                Ok(Value::tuple(items))
            }
            other => Ok(other.clone()),
        }
    }
}

/// Adds a field, or replaces the one of that name.
fn set_field(fields: &mut Vec<Field>, field: Field) {
    match fields.iter().position(|other| other.name == field.name) {
        Some(at) => fields[at] = field,
        None => fields.push(field),
    }
}

/// Fields without a default cannot follow those with one.
fn check_order(fields: &[Field]) -> Result<()> {
    let mut before: Option<&Name> = None;
    for field in fields.iter().filter(|field| field.init && !field.keyword_only) {
        let optional = field.default.is_some() || field.factory.is_some();
        match before {
            Some(other) if !optional => {
                let text = format!(
                    "non-default argument '{}' follows default argument '{other}'",
                    field.name
                );
                return Err(Raised::type_error(text).hint("put the fields without a default first"));
            }
            _ if optional => before = before.or(Some(&field.name)),
            _ => {}
        }
    }
    Ok(())
}
