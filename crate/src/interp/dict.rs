//! Hash tables that keep insertion order: `dict`, `set` and namespaces.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::interp::contents::take_apart;
use crate::interp::value::{Name, Value};

/// One entry of a [`Dict`].
#[derive(Clone)]
pub struct Entry {
    /// Hash of the key.
    pub hash: u64,
    /// The key.
    pub key: Value,
    /// The value; `None` in a set.
    pub value: Value,
}

/// An insertion-ordered table from keys to values.
///
/// It knows nothing of `__hash__` and `__eq__`: the caller passes the hash and a test for equality. Keys that hash alike
/// form a chain.
#[derive(Clone, Default)]
pub struct Dict {
    entries: Vec<Option<Entry>>,
    chains: FxHashMap<u64, Vec<u32>>,
    live: usize,
}

impl Dict {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Positions of the entries with this hash.
    pub fn candidates(&self, hash: u64) -> &[u32] {
        self.chains.get(&hash).map_or(&[], Vec::as_slice)
    }

    /// The entry at a position that [`Dict::candidates`] or [`Dict::next_from`] gave.
    pub fn entry(&self, position: u32) -> Option<&Entry> {
        self.entries.get(position as usize).and_then(Option::as_ref)
    }

    /// Replaces the value at a position.
    pub fn set_value(&mut self, position: u32, value: Value) {
        if let Some(Some(entry)) = self.entries.get_mut(position as usize) {
            entry.value = value;
        }
    }

    /// Appends an entry whose key is not in the table yet.
    pub fn append(&mut self, hash: u64, key: Value, value: Value) {
        let position = self.entries.len() as u32;
        self.entries.push(Some(Entry { hash, key, value }));
        self.chains.entry(hash).or_default().push(position);
        self.live += 1;
    }

    /// Removes the entry at a position.
    pub fn remove_at(&mut self, position: u32) -> Option<Entry> {
        let entry = self.entries.get_mut(position as usize)?.take()?;
        if let Some(chain) = self.chains.get_mut(&entry.hash) {
            chain.retain(|&at| at != position);
        }
        self.live -= 1;
        if self.entries.len() > 32 && self.live * 4 < self.entries.len() {
            self.compact();
        }
        Some(entry)
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The first live position from `position` on.
    pub fn next_from(&self, position: u32) -> Option<u32> {
        (position..self.entries.len() as u32).find(|&at| self.entries[at as usize].is_some())
    }

    /// The last live position.
    pub fn last(&self) -> Option<u32> {
        (0..self.entries.len() as u32)
            .rev()
            .find(|&at| self.entries[at as usize].is_some())
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    /// The keys in order, copied.
    pub fn keys(&self) -> Vec<Value> {
        self.iter().map(|entry| entry.key.clone()).collect()
    }

    /// The value of a string key.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        let hash = hash_str(key);
        self.candidates(hash)
            .iter()
            .filter_map(|&at| self.entry(at))
            .find(|entry| matches!(&entry.key, Value::Str(text) if **text == *key))
            .map(|entry| &entry.value)
    }

    /// Sets the value of a string key.
    pub fn set_str(&mut self, key: &str, value: Value) {
        let hash = hash_str(key);
        let found = self.candidates(hash).iter().copied().find(|&at| {
            self.entry(at)
                .is_some_and(|entry| matches!(&entry.key, Value::Str(text) if **text == *key))
        });
        match found {
            Some(at) => self.set_value(at, value),
            None => self.append(hash, Value::from(key), value),
        }
    }

    /// Takes all keys and values out.
    pub fn take_values(&mut self) -> Vec<Value> {
        self.chains.clear();
        self.live = 0;
        let entries = std::mem::take(&mut self.entries).into_iter().flatten();
        entries.flat_map(|entry| [entry.key, entry.value]).collect()
    }

    fn compact(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        self.chains.clear();
        self.live = 0;
        for entry in entries.into_iter().flatten() {
            self.append(entry.hash, entry.key, entry.value);
        }
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        if self.iter().any(|entry| entry.value.nests() || entry.key.nests()) {
            take_apart(self.take_values());
        }
    }
}

/// The hash of a string key.
pub fn hash_str(text: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Attributes by name, in insertion order.
#[derive(Clone, Default)]
pub struct Namespace {
    entries: Vec<(Name, Option<Value>)>,
    index: FxHashMap<Name, u32>,
}

/// Up to this many attributes a search along the list is faster than a hash.
const LINEAR: usize = 6;

impl Namespace {
    fn position(&self, name: &str) -> Option<usize> {
        if self.entries.len() <= LINEAR {
            return self.entries.iter().position(|(key, _)| **key == *name);
        }
        self.index.get(name).map(|&at| at as usize)
    }

    /// The value of `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.position(name).and_then(|at| self.entries[at].1.as_ref())
    }

    /// Sets the value of `name`.
    pub fn set(&mut self, name: &Name, value: Value) {
        if let Some(at) = self.position(name) {
            self.entries[at].1 = Some(value);
            return;
        }
        self.entries.push((Rc::clone(name), Some(value)));
        match self.entries.len() {
            len if len <= LINEAR => {}
            len if len == LINEAR + 1 => {
                let names = self.entries.iter().enumerate();
                self.index = names.map(|(at, (key, _))| (Rc::clone(key), at as u32)).collect();
            }
            len => {
                self.index.insert(Rc::clone(name), len as u32 - 1);
            }
        }
    }

    /// Removes `name`.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.position(name)?;
        self.entries[at].1.take()
    }

    /// Takes all values out.
    pub fn take_values(&mut self) -> Vec<Value> {
        self.index.clear();
        let entries = std::mem::take(&mut self.entries);
        entries.into_iter().filter_map(|(_, value)| value).collect()
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Value)> {
        self.entries
            .iter()
            .filter_map(|(name, value)| value.as_ref().map(|value| (name, value)))
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if self.iter().any(|(_, value)| value.nests()) {
            take_apart(self.take_values());
        }
    }
}
