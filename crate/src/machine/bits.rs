//! A bit for each byte of a memory: whether anybody has written it.

/// Bits of one storage, with a count so that "all written" costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
    count: usize,
}

/// The bits of word `word` that lie in `start..end`.
fn mask(word: usize, start: usize, end: usize) -> u64 {
    let low = start.saturating_sub(word * 64).min(64);
    let high = (end - word * 64).min(64);
    let below = |bits: usize| if bits >= 64 { u64::MAX } else { (1_u64 << bits) - 1 };
    below(high) & !below(low)
}

impl Bitmap {
    /// `len` bits that are all `value`.
    pub fn new(len: usize, value: bool) -> Self {
        let words = len.div_ceil(64);
        let mut bits = Self {
            words: vec![0; words],
            len,
            count: 0,
        };
        if value {
            bits.set(0, len);
        }
        bits
    }

    /// Whether every bit is set.
    pub fn is_full(&self) -> bool {
        self.count == self.len
    }

    /// Whether no bit is set.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Sets the bits `start..end`.
    pub fn set(&mut self, start: usize, end: usize) {
        if self.is_full() || start >= end {
            return;
        }
        for word in start / 64..=(end - 1) / 64 {
            let new = mask(word, start, end) & !self.words[word];
            self.words[word] |= new;
            self.count += new.count_ones() as usize;
        }
    }

    /// Clears the bits `start..end`.
    pub fn clear(&mut self, start: usize, end: usize) {
        if self.is_empty() || start >= end {
            return;
        }
        for word in start / 64..=(end - 1) / 64 {
            let old = mask(word, start, end) & self.words[word];
            self.words[word] &= !old;
            self.count -= old.count_ones() as usize;
        }
    }

    /// Whether all bits of `start..end` are set.
    pub fn all(&self, start: usize, end: usize) -> bool {
        self.is_full()
            || start >= end
            || (start / 64..=(end - 1) / 64).all(|word| !self.words[word] & mask(word, start, end) == 0)
    }

    /// Whether any bit of `start..end` is set.
    pub fn any(&self, start: usize, end: usize) -> bool {
        start < end
            && !self.is_empty()
            && (start / 64..=(end - 1) / 64).any(|word| self.words[word] & mask(word, start, end) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_across_words_are_exact() {
        let mut bits = Bitmap::new(200, false);
        bits.set(60, 131);
        assert!(bits.all(60, 131) && !bits.all(59, 131) && !bits.all(60, 132));
        assert!(!bits.any(0, 60) && bits.any(0, 61) && bits.any(130, 200) && !bits.any(131, 200));
        bits.clear(64, 128);
        assert!(bits.all(60, 64) && bits.all(128, 131) && !bits.any(64, 128));
        bits.set(0, 200);
        assert!(bits.is_full());
        bits.clear(0, 200);
        assert!(bits.is_empty() && !bits.all(5, 6));
    }
}
