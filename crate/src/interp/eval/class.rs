//! Classes and their instances.

use std::cell::RefCell;
use std::rc::Rc;

use crate::interp::Interp;
use crate::interp::builtin::{Arg, CallArgs, plain_type_name};
use crate::interp::dict::Namespace;
use crate::interp::object::{Class, Descriptor, Instance, TypeTag};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::Value;
use crate::syntax::ast::ClassDef;

impl Interp {
    pub(crate) fn define_class(&mut self, frame: &mut Frame, node: &ClassDef) -> Result<Value> {
        let decorators = self.eval_all(frame, &node.decorators)?;
        let mut bases = Vec::new();
        for expr in &node.bases {
            let value = self.eval(frame, expr)?;
            match value {
                Value::Class(class) => bases.push(class),
                other => {
                    let kind = self.type_name(&other);
                    let span = Self::place(frame, expr.start, expr.end);
                    return Err(Raised::type_error(format!("a base class must be a class, not {kind}")).at(span));
                }
            }
        }
        let mut keywords = Vec::new();
        for (name, expr) in &node.keywords {
            let value = self.eval(frame, expr)?;
            if **name != *"metaclass" {
                keywords.push((
                    Rc::clone(name),
                    Arg {
                        value,
                        span: Self::place(frame, expr.start, expr.end),
                    },
                ));
            } else if !matches!(&value, Value::Class(class) if matches!(&*class.name, "ABCMeta" | "type" | "EnumMeta"))
            {
                let span = Self::place(frame, expr.start, expr.end);
                return Err(Raised::unimplemented("metaclasses of scripts are not supported").at(span));
            }
        }
        let cells = Self::capture(frame, &Frame::layout(&node.code).captures);
        let mut body = Frame::new(Rc::clone(&node.code), frame.module, &cells);
        body.namespace = Some(Box::default());
        self.exec_block(&mut body, &node.code.body)?;
        let mut namespace = body
            .namespace
            .take()
            .map_or_else(Namespace::default, |namespace| *namespace);
        if let Some(doc) = &node.code.doc {
            namespace.set(&"__doc__".into(), Value::Str(Rc::clone(doc)));
        }
        let class = self.new_class(&node.code.name, bases, namespace)?;
        self.finish_class(&class, keywords)?;
        self.decorate(frame, Value::Class(class), &decorators, &node.decorators)
    }

    /// What follows the creation of a class in a script.
    fn finish_class(&mut self, class: &Rc<Class>, keywords: Vec<(crate::interp::value::Name, Arg)>) -> Result<()> {
        if class.is_enum {
            self.finish_enum(class)?;
        }
        if class
            .bases
            .iter()
            .any(|base| base.builtin && &*base.name == "NamedTuple")
        {
            self.finish_named_tuple(class)?;
        }
        let automatic = class.lookup("__auto_dataclass__").is_some();
        if automatic && !matches!(class.lookup("__init__"), Some(Value::Function(_))) {
            self.make_dataclass(class, &crate::interp::py::dataclasses::Options::automatic())?;
        }
        let hook = class
            .mro
            .iter()
            .find_map(|base| base.attrs.borrow().get("__init_subclass__").cloned());
        if let Some(hook) = hook {
            let function = match &hook {
                Value::Descriptor(descriptor) => match &**descriptor {
                    Descriptor::Class(function) | Descriptor::Static(function) => function.clone(),
                    Descriptor::Property(..) => return Ok(()),
                },
                other => other.clone(),
            };
            let mut args = CallArgs::positional([Value::Class(Rc::clone(class))]);
            args.keywords = keywords;
            self.call(&function, args)?;
        }
        Ok(())
    }

    /// Makes a class.
    pub fn new_class(&mut self, name: &str, mut bases: Vec<Rc<Class>>, namespace: Namespace) -> Result<Rc<Class>> {
        if bases.is_empty() {
            bases.push(self.type_class(TypeTag::Object));
        }
        let mro = linearize(&bases).ok_or_else(|| {
            let names: Vec<&str> = bases.iter().map(|base| &*base.name).collect();
            let text = "Cannot create a consistent method resolution order (MRO) for bases ";
            Raised::type_error(format!("{text}{}", names.join(", ")))
        })?;
        let tag = mro
            .iter()
            .map(|base| base.tag)
            .find(|&tag| tag != TypeTag::Object)
            .unwrap_or(TypeTag::Object);
        if tag == TypeTag::Bool {
            return Err(Raised::type_error("type 'bool' is not an acceptable base type"));
        }
        let class = Rc::new(Class {
            name: name.into(),
            exception: mro.iter().find_map(|base| base.exception),
            is_enum: mro.iter().any(|base| base.is_enum),
            dataclass: RefCell::default(),
            builtin: false,
            bases,
            mro,
            attrs: RefCell::new(namespace),
            tag,
        });
        for (_, value) in class.attrs.borrow().iter() {
            own(value, &class);
        }
        self.classes.push(Rc::downgrade(&class));
        Ok(class)
    }

    /// Makes a class of the language or of a Rust module.
    pub fn builtin_class(&mut self, name: &str, base: Option<&Rc<Class>>, tag: TypeTag, is_enum: bool) -> Rc<Class> {
        let bases: Vec<Rc<Class>> = base.into_iter().cloned().collect();
        let mro: Vec<Rc<Class>> = bases
            .iter()
            .flat_map(|base| std::iter::once(base).chain(&base.mro))
            .cloned()
            .collect();
        let class = Rc::new(Class {
            name: name.into(),
            exception: mro.iter().find_map(|base| base.exception),
            is_enum,
            dataclass: RefCell::default(),
            builtin: true,
            bases,
            mro,
            attrs: RefCell::default(),
            tag,
        });
        self.classes.push(Rc::downgrade(&class));
        class
    }

    /// The class of a built-in type.
    pub fn type_class(&self, tag: TypeTag) -> Rc<Class> {
        Rc::clone(&self.types[tag as usize])
    }

    /// `type(value)`.
    pub fn class_of(&mut self, value: &Value) -> Rc<Class> {
        match value {
            Value::Instance(instance) => Rc::clone(&instance.class),
            Value::Native(_) | Value::Iterator(_) => {
                let name = plain_type_name(value);
                if let Some(class) = self.native_classes.get(&name) {
                    return Rc::clone(class);
                }
                let object = self.type_class(TypeTag::Object);
                let class = self.builtin_class(&name, Some(&object), TypeTag::Object, false);
                self.native_classes.insert(name, Rc::clone(&class));
                class
            }
            other => self.type_class(other.tag()),
        }
    }

    /// What `type(value).__name__` says.
    pub fn type_name(&mut self, value: &Value) -> String {
        plain_type_name(value)
    }

    /// A new instance with attributes and without `__init__`.
    pub fn new_instance(&mut self, class: &Rc<Class>, attrs: &[(&str, Value)]) -> Value {
        let mut namespace = Namespace::default();
        for (name, value) in attrs {
            namespace.set(&(*name).into(), value.clone());
        }
        Value::Instance(Rc::new(Instance {
            class: Rc::clone(class),
            attrs: RefCell::new(namespace),
            base: None,
        }))
    }

    /// `class(args)`.
    pub(crate) fn construct(&mut self, class: &Rc<Class>, args: CallArgs) -> Result<Value> {
        if class.builtin && class.exception.is_none() {
            let new = class.attrs.borrow().get("__new__").cloned();
            return match new {
                Some(new) => self.call(&new, args),
                None if class.is_enum || class.tag != TypeTag::Object => {
                    Err(Raised::type_error(format!("cannot create '{}' instances", class.name)))
                }
                None => Ok(self.new_instance(class, &[])),
            };
        }
        if class.is_enum {
            return self.enum_by_value(class, &args);
        }
        if let Some(new @ (Value::Function(_) | Value::Descriptor(_))) = class.lookup("__new__") {
            return self.construct_by_new(class, &new, args);
        }
        if let Some(method) = self.abstract_method(class) {
            let name = &class.name;
            let text = format!(
                "Can't instantiate abstract class {name} without an implementation for abstract method '{method}'"
            );
            return Err(Raised::type_error(text));
        }
        self.check_kernel_class(class, args.span.unwrap_or(self.span));
        let object = self.allocate(class, &args)?;
        self.initialise(class, &object, args)?;
        Ok(object)
    }

    fn construct_by_new(&mut self, class: &Rc<Class>, new: &Value, args: CallArgs) -> Result<Value> {
        let function = match new {
            Value::Descriptor(descriptor) => match &**descriptor {
                Descriptor::Static(function) => function.clone(),
                _ => new.clone(),
            },
            other => other.clone(),
        };
        let mut all = args.clone();
        let span = args.span.unwrap_or(self.span);
        all.positional.insert(
            0,
            Arg {
                value: Value::Class(Rc::clone(class)),
                span,
            },
        );
        let object = self.call(&function, all)?;
        if self.class_of(&object).derives_from(class) {
            self.initialise(class, &object, args)?;
        }
        Ok(object)
    }

    /// The first method that is still abstract.
    fn abstract_method(&self, class: &Rc<Class>) -> Option<String> {
        let behind = class.mro.iter().filter(|base| !base.builtin);
        behind.chain(std::iter::once(class)).find_map(|base| {
            let names: Vec<String> = base
                .attrs
                .borrow()
                .iter()
                .filter(|(_, value)| is_abstract(value))
                .map(|(name, _)| name.to_string())
                .collect();
            names
                .into_iter()
                .find(|name| class.lookup(name).is_some_and(|value| is_abstract(&value)))
        })
    }

    /// An instance with the content that its built-in base needs.
    pub(crate) fn allocate(&mut self, class: &Rc<Class>, args: &CallArgs) -> Result<Value> {
        let mut attrs = Namespace::default();
        if class.exception.is_some() {
            let given = args.positional.iter().map(|arg| arg.value.clone());
            attrs.set(&"args".into(), Value::tuple(given));
        }
        let base = if class.tag == TypeTag::Object {
            None
        } else if class.lookup("_fields").is_some() && class.tag == TypeTag::Tuple {
            Some(self.named_tuple_items(class, args)?)
        } else {
            let own_init = matches!(class.lookup("__init__"), Some(Value::Function(_)));
            let mutable = matches!(class.tag, TypeTag::List | TypeTag::Dict | TypeTag::Set);
            let passed = match (own_init, mutable) {
                (true, true) => CallArgs::default(),
                (true, false) => CallArgs {
                    positional: args.positional.iter().take(1).cloned().collect(),
                    ..CallArgs::default()
                },
                _ => args.clone(),
            };
            let base = self.type_class(class.tag);
            Some(self.construct(&base, passed)?)
        };
        Ok(Value::Instance(Rc::new(Instance {
            class: Rc::clone(class),
            attrs: RefCell::new(attrs),
            base,
        })))
    }

    fn initialise(&mut self, class: &Rc<Class>, object: &Value, mut args: CallArgs) -> Result<()> {
        let span = args.span.unwrap_or(self.span);
        match class.lookup("__init__") {
            Some(Value::Builtin(row)) if row.name == "object.__init__" => {
                let new = matches!(class.lookup("__new__"), Some(Value::Function(_)));
                let none = args.positional.is_empty() && args.keywords.is_empty();
                if none || new || class.exception.is_some() || class.tag != TypeTag::Object {
                    return Ok(());
                }
                let raised = Raised::argument_error(format!("{}() takes no arguments", class.name));
                Err(raised.hint(format!("define {}.__init__, or make it a dataclass", class.name)))
            }
            Some(init) => {
                args.positional.insert(
                    0,
                    Arg {
                        value: object.clone(),
                        span,
                    },
                );
                self.call(&init, args).map(drop)
            }
            None => Ok(()),
        }
    }

    /// `isinstance(value, class)`; `class` may be a tuple, a union or a native type.
    pub fn is_instance(&mut self, value: &Value, class: &Value) -> Result<bool> {
        match class {
            Value::Class(class) => {
                if self.class_of(value).derives_from(class) {
                    return Ok(true);
                }
                if let Value::Native(native) = value
                    && native.is_a(&class.name)
                {
                    return Ok(true);
                }
                Ok(self.is_of_protocol(value, &class.name))
            }
            Value::Tuple(classes) => {
                for class in classes.iter() {
                    if self.is_instance(value, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::None => Ok(value.is_none()),
            Value::Native(native) => match Rc::clone(native).has_instance(self, value) {
                Some(answer) => Ok(answer),
                None => Err(bad_class_argument()),
            },
            _ => Err(bad_class_argument()),
        }
    }

    /// Abstract classes of `typing` and `collections.abc`.
    fn is_of_protocol(&mut self, value: &Value, name: &str) -> bool {
        match name {
            "Callable" => self.is_callable(value),
            "Sequence" => matches!(
                value.tag(),
                TypeTag::List | TypeTag::Tuple | TypeTag::Str | TypeTag::Range
            ),
            "Mapping" | "MutableMapping" => value.tag() == TypeTag::Dict,
            "Iterable" | "Collection" => !matches!(value, Value::Instance(_)) && self.iter(value).is_ok(),
            "Iterator" | "Generator" => matches!(value, Value::Iterator(_)),
            "Number" | "Real" => matches!(value.tag(), TypeTag::Int | TypeTag::Float | TypeTag::Bool),
            "Integral" => matches!(value.tag(), TypeTag::Int | TypeTag::Bool),
            "Hashable" => self.hash(value).is_ok(),
            _ => false,
        }
    }

    /// `callable(value)`.
    pub fn is_callable(&mut self, value: &Value) -> bool {
        match value {
            Value::Function(_) | Value::Builtin(_) | Value::Bound(_) | Value::Class(_) => true,
            Value::Instance(_) => self.find_special(value, "__call__").is_some(),
            Value::Native(native) => native.is_callable(),
            _ => false,
        }
    }

    /// Makes the classes of the language; called once.
    pub(crate) fn make_types(&mut self) {
        for &tag in TypeTag::ALL {
            let base = match tag {
                TypeTag::Object => None,
                TypeTag::Bool => Some(self.type_class(TypeTag::Int)),
                _ => Some(self.type_class(TypeTag::Object)),
            };
            let class = self.builtin_class(tag.name(), base.as_ref(), tag, false);
            self.types.push(class);
        }
        for &exception in Exception::ALL {
            let base = Exception::ALL.iter().position(|other| other.name() == exception.base());
            let base = match base {
                Some(at) => Rc::clone(&self.exceptions[at]),
                None => self.type_class(TypeTag::Object),
            };
            let class = Rc::new(Class {
                name: exception.name().into(),
                mro: std::iter::once(&base).chain(&base.mro).cloned().collect(),
                bases: vec![base],
                attrs: RefCell::default(),
                tag: TypeTag::Object,
                builtin: true,
                exception: Some(exception),
                is_enum: false,
                dataclass: RefCell::default(),
            });
            self.builtins
                .insert(exception.name().to_owned(), Value::Class(Rc::clone(&class)));
            self.exceptions.push(class);
        }
    }
}

fn bad_class_argument() -> Raised {
    Raised::type_error("isinstance() arg 2 must be a type, a tuple of types, or a union")
}

/// Whether a class attribute was marked by `abstractmethod`.
fn is_abstract(value: &Value) -> bool {
    match value {
        Value::Function(function) => function.attrs.borrow().get("__isabstractmethod__").is_some(),
        Value::Descriptor(descriptor) => match &**descriptor {
            Descriptor::Property(getter, _, _) => is_abstract(getter),
            Descriptor::Static(function) | Descriptor::Class(function) => is_abstract(function),
        },
        _ => false,
    }
}

/// Tells the functions of a class body which class they belong to.
fn own(value: &Value, class: &Rc<Class>) {
    match value {
        Value::Function(function) => {
            let mut owner = function.owner.borrow_mut();
            if owner.upgrade().is_none() {
                *owner = Rc::downgrade(class);
            }
        }
        Value::Descriptor(descriptor) => match &**descriptor {
            Descriptor::Property(getter, setter, deleter) => {
                [getter, setter, deleter]
                    .into_iter()
                    .for_each(|function| own(function, class));
            }
            Descriptor::Static(function) | Descriptor::Class(function) => own(function, class),
        },
        _ => {}
    }
}

/// The C3 method resolution order behind a class with these bases; `None` if there is none.
fn linearize(bases: &[Rc<Class>]) -> Option<Vec<Rc<Class>>> {
    let with_itself = |base: &Rc<Class>| std::iter::once(base).chain(&base.mro).cloned().collect::<Vec<_>>();
    let mut lists: Vec<Vec<Rc<Class>>> = bases.iter().map(with_itself).collect();
    lists.push(bases.to_vec());
    let mut order = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return Some(order);
        }
        let in_tail = |class: &Rc<Class>| {
            lists
                .iter()
                .any(|list| list[1..].iter().any(|other| Rc::ptr_eq(class, other)))
        };
        let next = lists
            .iter()
            .map(|list| Rc::clone(&list[0]))
            .find(|class| !in_tail(class))?;
        for list in &mut lists {
            if Rc::ptr_eq(&list[0], &next) {
                list.remove(0);
            }
        }
        order.push(next);
    }
}
