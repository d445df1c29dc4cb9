//! The `itertools` module.
//!
//! Iterators that can be endless are lazy; the combinatoric ones are finite and bounded by the item limit.

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Arg, Args, Builtin, CallArgs};
use crate::interp::native::{Answer, Items, NativeObject, PyIterator};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::syntax::ast::BinaryOp;

builtin! {
    /// Functions of `itertools`.
    pub ITERTOOLS_ROWS;
    /// Cartesian product of the iterables.
    "product" "(*iterables, repeat=1)" => |cx, args| {
        let repeat = args.int_or(0, 1)?;
        let pools = pools(cx, args.rest())?;
        let repeat = usize::try_from(repeat).unwrap_or(0);
        let pools: Vec<Vec<Value>> = std::iter::repeat_n(pools, repeat).flatten().collect();
        let count = pools.iter().fold(1_usize, |count, pool| count.saturating_mul(pool.len()));
        cx.check_items(count)?;
        let rows = (0..count).map(|mut at| {
            let mut row = vec![Value::None; pools.len()];
            for (place, pool) in row.iter_mut().zip(&pools).rev() {
                *place = pool[at % pool.len()].clone();
                at /= pool.len();
            }
            Value::tuple(row)
        });
        Ok(items("product", rows.collect()))
    };
    /// All ways to choose `r` items, in order.
    "combinations" "(iterable, r)" => |cx, args| choose(cx, args, Choice::Combinations);
    /// All ways to choose `r` items, in order, with repetition.
    "combinations_with_replacement" "(iterable, r)" => |cx, args| choose(cx, args, Choice::Replacement);
    /// All arrangements of `r` items.
    "permutations" "(iterable, r=None)" => |cx, args| choose(cx, args, Choice::Permutations);
    /// Running totals, or running results of a function.
    "accumulate" "(iterable, func=None, *, initial=None)" => |cx, args| {
        let function = args.some(1).cloned();
        let mut source = cx.collect(args.value(0))?.into_iter();
        let Some(mut total) = args.some(2).cloned().or_else(|| source.next()) else {
            return Ok(items("accumulate", Vec::new()));
        };
        let mut totals = vec![total.clone()];
        for item in source {
            total = match &function {
                Some(function) => cx.call_values(function, vec![total, item])?,
                None => cx.binary(BinaryOp::Add, &total, &item)?,
            };
            totals.push(total.clone());
        }
        Ok(items("accumulate", totals))
    };
    /// The items from `start` to `stop` in steps.
    "islice" "(iterable, start, stop=None, step=None, /)" => |cx, args| islice(cx, args);
    /// `start`, `start + step`, and so on without end.
    "count" "(start=0, step=1)" => |_cx, args| {
        let start = args.get(0).cloned().unwrap_or(Value::Int(0));
        let step = args.get(1).cloned().unwrap_or(Value::Int(1));
        Ok(Value::iterator("count", Count { next: start, step }))
    };
    /// The items again and again.
    "cycle" "(iterable, /)" => |cx, args| {
        let items = cx.collect(args.value(0))?;
        Ok(Value::iterator("cycle", Cycle { items, at: 0 }))
    };
    /// One object, `times` times or without end.
    "repeat" "(object, times=None)" => |_cx, args| {
        let left = match args.some(1) {
            Some(_) => Some(usize::try_from(args.int(1)?).unwrap_or(0)),
            None => None,
        };
        Ok(Value::iterator("repeat", Repeat { object: args.value(0).clone(), left }))
    };
    /// `function(*item)` for each item.
    "starmap" "(function, iterable, /)" => |cx, args| {
        let function = args.value(0).clone();
        let mut results = Vec::new();
        for item in cx.collect(args.value(1))? {
            let values = cx.collect(&item)?;
            results.push(cx.call(&function, CallArgs::positional(values))?);
        }
        Ok(items("starmap", results))
    };
    /// Items as long as a predicate holds.
    "takewhile" "(predicate, iterable, /)" => |cx, args| {
        let mut kept = Vec::new();
        let mut source = cx.iter(args.value(1))?;
        while let Some(item) = source.next(cx)? {
            let answer = cx.call_values(args.value(0), vec![item.clone()])?;
            if !cx.truth(&answer)? {
                break;
            }
            kept.push(item);
            cx.check_items(kept.len())?;
        }
        Ok(items("takewhile", kept))
    };
    /// Items from the first on for which a predicate does not hold.
    "dropwhile" "(predicate, iterable, /)" => |cx, args| {
        let source = cx.collect(args.value(1))?;
        let mut first = source.len();
        for (at, item) in source.iter().enumerate() {
            let answer = cx.call_values(args.value(0), vec![item.clone()])?;
            if !cx.truth(&answer)? {
                first = at;
                break;
            }
        }
        Ok(items("dropwhile", source[first..].to_vec()))
    };
    /// Tuples of items; shorter iterables are filled up.
    "zip_longest" "(*iterables, fillvalue=None)" => |cx, args| {
        let fill = args.value(0).clone();
        let pools = pools(cx, args.rest())?;
        let length = pools.iter().map(Vec::len).max().unwrap_or(0);
        let row = |at: usize| {
            Value::tuple(pools.iter().map(|pool| pool.get(at).unwrap_or(&fill).clone()).collect::<Vec<_>>())
        };
        Ok(items("zip_longest", (0..length).map(row).collect()))
    };
    /// Pairs of neighbours.
    "pairwise" "(iterable, /)" => |cx, args| {
        let source = cx.collect(args.value(0))?;
        Ok(items("pairwise", source.windows(2).map(|pair| Value::tuple(pair.to_vec())).collect()))
    };
    /// Runs of items with equal keys.
    "groupby" "(iterable, key=None)" => |cx, args| {
        let key = args.some(1).cloned();
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        for item in cx.collect(args.value(0))? {
            let name = match &key {
                Some(key) => cx.call_values(key, vec![item.clone()])?,
                None => item.clone(),
            };
            match groups.last_mut() {
                Some((last, members)) if cx.equals(last, &name)? => members.push(item),
                _ => groups.push((name, vec![item])),
            }
        }
        let pairs = groups.into_iter().map(|(name, members)| Value::tuple(vec![name, items("group", members)]));
        Ok(items("groupby", pairs.collect()))
    };
}

/// An iterator over values that are there.
fn items(type_name: &'static str, values: Vec<Value>) -> Value {
    Value::iterator(type_name, Items(values.into_iter()))
}

/// The function `chain`, which has a method.
pub struct ChainFunction;

impl NativeObject for ChainFunction {
    fn type_name(&self) -> &str {
        "type"
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn methods(&self) -> &'static [Builtin] {
        CHAIN_METHODS
    }

    fn call(&self, _cx: &mut Interp, args: CallArgs) -> Answer {
        Ok(Some(chain(args.positional.into_iter().map(|arg| arg.value).collect())))
    }
}

builtin! {
    /// Methods of `chain`.
    pub CHAIN_METHODS;
    /// The items of all iterables that an iterable gives.
    "from_iterable" "(self, iterable, /)" => |cx, args| cx.collect(args.value(1)).map(chain);
}

/// An iterator over the items of all iterables.
pub fn chain(iterables: Vec<Value>) -> Value {
    Value::iterator(
        "chain",
        Chain {
            sources: iterables.into_iter(),
            current: None,
        },
    )
}

/// The items of each iterable.
fn pools(cx: &mut Interp, iterables: &[Arg]) -> Result<Vec<Vec<Value>>> {
    iterables.iter().map(|arg| cx.collect(&arg.value)).collect()
}

/// What is chosen from a pool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Combinations,
    Replacement,
    Permutations,
}

/// All choices of `r` positions of a pool, in lexicographic order of the positions.
fn choose(cx: &mut Interp, args: &Args, choice: Choice) -> Result<Value> {
    let pool = cx.collect(args.value(0))?;
    let size = if args.some(1).is_some() {
        args.size(1)?
    } else {
        pool.len()
    };
    let mut rows = Vec::new();
    let mut picked = Vec::new();
    extend_choice(cx, &pool, size, choice, &mut picked, &mut rows)?;
    Ok(items("combinations", rows))
}

/// Adds every choice that begins with `picked`. The depth is bounded because a choice is no longer than its pool, or the
/// item limit ends it.
fn extend_choice(
    cx: &mut Interp,
    pool: &[Value],
    size: usize,
    choice: Choice,
    picked: &mut Vec<usize>,
    rows: &mut Vec<Value>,
) -> Result<()> {
    if size > 64 {
        return Err(Raised::limit("choices of more than 64 items are too many"));
    }
    if picked.len() == size {
        rows.push(Value::tuple(
            picked.iter().map(|&at| pool[at].clone()).collect::<Vec<_>>(),
        ));
        cx.step(1)?;
        return cx.check_items(rows.len());
    }
    let first = match (choice, picked.last()) {
        (Choice::Combinations, Some(&last)) => last + 1,
        (Choice::Replacement, Some(&last)) => last,
        _ => 0,
    };
    for at in first..pool.len() {
        if choice == Choice::Permutations && picked.contains(&at) {
            continue;
        }
        picked.push(at);
        extend_choice(cx, pool, size, choice, picked, rows)?;
        picked.pop();
    }
    Ok(())
}

/// `islice(iterable, stop)` or `islice(iterable, start, stop, step)`.
fn islice(cx: &mut Interp, args: &Args) -> Result<Value> {
    let alone = args.get(2).is_none();
    let bound = |at: usize| {
        if args.some(at).is_some() {
            args.size(at).map(Some)
        } else {
            Ok(None)
        }
    };
    let (start, stop) = if alone {
        (0, bound(1)?)
    } else {
        (bound(1)?.unwrap_or(0), bound(2)?)
    };
    let step = bound(3)?.unwrap_or(1).max(1);
    let mut source = cx.iter(args.value(0))?;
    let mut taken = Vec::new();
    let mut at = 0;
    while stop.is_none_or(|stop| at < stop) {
        cx.step(1)?;
        let Some(item) = source.next(cx)? else { break };
        if at >= start && (at - start).is_multiple_of(step) {
            taken.push(item);
            cx.check_items(taken.len())?;
        }
        at += 1;
    }
    Ok(items("islice", taken))
}

struct Chain {
    sources: std::vec::IntoIter<Value>,
    current: Option<Box<dyn PyIterator>>,
}

impl PyIterator for Chain {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        loop {
            if let Some(current) = &mut self.current
                && let Some(item) = current.next(cx)?
            {
                return Ok(Some(item));
            }
            let Some(source) = self.sources.next() else {
                return Ok(None);
            };
            self.current = Some(cx.iter(&source)?);
        }
    }
}

struct Count {
    next: Value,
    step: Value,
}

impl PyIterator for Count {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        let item = self.next.clone();
        self.next = cx.binary(BinaryOp::Add, &item, &self.step)?;
        Ok(Some(item))
    }
}

struct Cycle {
    items: Vec<Value>,
    at: usize,
}

impl PyIterator for Cycle {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        let item = self.items.get(self.at).cloned();
        self.at = if self.at + 1 < self.items.len() { self.at + 1 } else { 0 };
        Ok(item)
    }
}

struct Repeat {
    object: Value,
    left: Option<usize>,
}

impl PyIterator for Repeat {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        match &mut self.left {
            Some(0) => Ok(None),
            Some(left) => {
                *left -= 1;
                Ok(Some(self.object.clone()))
            }
            None => Ok(Some(self.object.clone())),
        }
    }

    fn remaining(&self) -> Option<usize> {
        self.left
    }
}
