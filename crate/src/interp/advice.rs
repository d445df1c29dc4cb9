//! Ways out of errors whose messages are CPython's own, or say what is wrong in a form that many functions share.
//!
//! Where an error is raised, the code knows what is wrong; what to do about it depends on the message alone, so it stands here once
//! and not beside each of them. A hint that was given on the spot is better and stays.

use crate::interp::raised::Failure;

/// Parts of a message, all of which it has, and what to do about it. The first row that fits counts.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &["there is no key"],
        "list(d) shows the keys of d; d.get(key) gives None for one that is missing",
    ),
    (
        &["of the shape is"],
        "sizes are integers that are known while the kernel is traced, 1 at least",
    ),
    (
        &["unexpected keyword argument"],
        "leave it out, or look up how the parameter is spelt",
    ),
    (
        &["must be a tile, not list"],
        "make a list of the host an array first, np.array(...): arrays that a kernel gets are tensors",
    ),
    (
        &["takes axis=0 only"],
        "permute the tensor first so that the axis comes first",
    ),
    (
        &["a scalar index needs a tile of shape (1, 1)"],
        "take one element of it: index[0:1, 0:1]; for one index a partition use vector_select()",
    ),
    (
        &["stands for an operator and cannot be called"],
        "give it as op= to an instruction of nki.isa",
    ),
    (
        &["must return the register of the next condition"],
        "end the body with 'return reg', after nisa.register_load(reg, ...)",
    ),
    (
        &["'NkiTensor' object cannot be interpreted as an integer"],
        "the values of a tile are known on the device only: load one with nisa.register_load and loop with nl.dynamic_range",
    ),
    (
        &["not supported between instances of", "NkiTensor"],
        "the values of a tile are known on the device only: compare with nl.greater and its siblings, select with nl.where",
    ),
    (
        &["argument", "not NkiTensor"],
        "the values of a tile are known on the device only: show them with nl.device_print, or return the tensor",
    ),
    (
        &["must be a tile, not"],
        "load an array of the host with nl.load, or make a tile with nl.ndarray or nl.full",
    ),
    (
        &["NkiTensor", "has no attribute"],
        "a tensor has shape, dtype, ndim, its views (reshape, slice, permute, broadcast, ap, view) and its own name",
    ),
    (
        &["only tensors can be returned"],
        "return a tensor in HBM; numbers are known to the caller already",
    ),
    (
        &["takes an integer or None"],
        "give an int, or load a value from a tile with nisa.register_load",
    ),
    (&["must be a dtype"], "write nl.float32, nl.bfloat16, nl.int32, ..."),
    (
        &["the device has no dtype"],
        "use nl.float32, nl.int32 or a narrower dtype",
    ),
    (
        &["must be a tuple of positive integers"],
        "sizes are integers that are known while the kernel is traced, 1 at least",
    ),
    (
        &["argument", "must be a memory region"],
        "use nl.sbuf, nl.psum, nl.private_hbm or nl.shared_hbm",
    ),
    (
        &["'NoneType' object"],
        "a function without return gives None: look at the call that made the value",
    ),
    (
        &["object is not callable"],
        "is one name used for a function and for a value?",
    ),
    (
        &["object is not subscriptable"],
        "only sequences, dictionaries and tensors take [...]",
    ),
    (&["object is not iterable"], "loop over range(n) to count to n"),
    (&["cannot be interpreted as an integer"], "convert it with int()"),
    (
        &["module '", "has no attribute"],
        "look the name up in the reference of the page, or with trn3 api",
    ),
    (&["has no attribute"], "dir() of the value lists what it has"),
    (&["is not defined"], "assign or import the name before this line"),
    (&["missing", "required"], "give every parameter that has no default"),
    (&["got '", "twice"], "give it by position or by name, not both"),
    (
        &["multiple values for argument"],
        "give it by position or by name, not both",
    ),
    (
        &["takes", "positional argument"],
        "give the rest by name, or leave it out",
    ),
    (&["integer division or modulo by zero"], "check the divisor first"),
    (&["division by zero"], "check the divisor first"),
    (&["invalid literal for int()"], "take off what is no digit first"),
    (
        &["could not convert string to float"],
        "take off what is no number first",
    ),
    (&["format: a", "number is required"], "use %s, or an f-string"),
    (&["negative shift count"], "shift the other way"),
    (&["can't multiply sequence by non-int"], "convert the factor with int()"),
    (
        &["can only concatenate"],
        "convert one side: list(x), tuple(x) or str(x)",
    ),
    (
        &["not enough values to unpack"],
        "count the names on the left; *rest takes what is left over",
    ),
    (
        &["too many values to unpack"],
        "count the names on the left; *rest takes what is left over",
    ),
    (&["unhashable type"], "use a tuple as the key"),
    (
        &["broadcast() needs a dimension of size 1"],
        "insert one first with expand_dim(), or slice the dimension to one element",
    ),
    (
        &["reshape() to", "elements"],
        "the sizes must multiply to the same number of elements; one of them may be -1",
    ),
    (
        &["view(", "no multiple of"],
        "take a dtype of the same size, or pad the last dimension",
    ),
    (
        &["the first step of the pattern"],
        "write the elements of a partition as the first step; strided rows go through nisa.dma_copy",
    ),
];

/// Adds what to do about an error that nobody gave a way out of.
pub fn advise(failure: &mut Failure) {
    if !failure.hints.is_empty() {
        return;
    }
    let fits = |parts: &[&str]| parts.iter().all(|part| failure.message.contains(part));
    if let Some((_, hint)) = ADVICE.iter().find(|(parts, _)| fits(parts)) {
        failure.hints.push((*hint).to_owned());
    }
}
