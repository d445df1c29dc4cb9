//! What Python runs inside of a kernel and the NKI compiler does not: a warning, as the playground runs it too.
//!
//! The rules are those of the NKI language guide (its sections on values, on classes and on enumerations). Kernels of the
//! older `neuronxcc.nki` were traced by Python itself and know none of them.

use std::rc::Rc;

use crate::base::diag::{Code, Diagnostic};
use crate::base::span::Span;
use crate::interp::Interp;
use crate::interp::dict::Dict;
use crate::interp::object::Class;

/// The class that every class of a kernel derives from.
const ROOT: &str = "NKIObject";

impl Interp {
    /// Warns of a construct at `span` that the compiler rejects.
    fn warn_dialect(&mut self, span: Span, message: String, hint: &str) {
        self.warn(Diagnostic::warning(Code::Dialect, span, message).with_hint(hint));
    }

    /// A dictionary that a kernel makes: its keys must be strings.
    pub(crate) fn check_kernel_dict(&mut self, dict: &Dict, span: Span) {
        if !self.compiled_kernel {
            return;
        }
        let odd = dict.iter().map(|entry| &entry.key).find(|key| key.as_str().is_none());
        if let Some(key) = odd.cloned() {
            let kind = self.type_name(&key);
            let message = format!(
                "a key of this dictionary is of type '{kind}'; in a kernel the NKI compiler takes strings only"
            );
            self.warn_dialect(
                span,
                message,
                "use strings as keys, or make the dictionary outside and pass what the kernel needs",
            );
        }
    }

    /// An object that a kernel makes: its class derives from `NKIObject` and from nothing else.
    pub(crate) fn check_kernel_class(&mut self, class: &Rc<Class>, span: Span) {
        let own = |class: &Rc<Class>| class.builtin && (&*class.name == ROOT || &*class.name == "object");
        let derived = class.mro.iter().any(|base| base.builtin && &*base.name == ROOT);
        let foreign = class.mro.iter().any(|base| base.builtin && !own(base));
        if !self.compiled_kernel || class.builtin || class.exception.is_some() || (derived && !foreign) {
            return;
        }
        let name = &class.name;
        let message = format!(
            "class {name} does not derive from nl.{ROOT} alone; the NKI compiler takes no other class in a kernel"
        );
        self.warn_dialect(span, message, &format!("declare it as class {name}(nl.{ROOT})"));
    }
}
