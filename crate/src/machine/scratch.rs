//! Vectors for intermediate values that go back to a pool instead of the allocator.

/// Vectors that a pool keeps at most; no instruction needs more at a time.
const POOL: usize = 8;

/// Pools by element type.
#[derive(Debug, Default)]
pub struct Scratch {
    floats: Vec<Vec<f32>>,
    words: Vec<Vec<u32>>,
    bytes: Vec<Vec<u8>>,
}

impl Scratch {
    /// `len` floats of any value.
    pub fn floats(&mut self, len: usize) -> Vec<f32> {
        let mut vector = self.floats.pop().unwrap_or_default();
        vector.resize(len, 0.0);
        vector
    }

    /// `len` words of any value.
    pub fn words(&mut self, len: usize) -> Vec<u32> {
        let mut vector = self.words.pop().unwrap_or_default();
        vector.resize(len, 0);
        vector
    }

    /// `len` bytes of any value.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut vector = self.bytes.pop().unwrap_or_default();
        vector.resize(len, 0);
        vector
    }

    /// Takes floats back.
    pub fn give_floats(&mut self, vector: Vec<f32>) {
        if self.floats.len() < POOL {
            self.floats.push(vector);
        }
    }

    /// Takes words back.
    pub fn give_words(&mut self, vector: Vec<u32>) {
        if self.words.len() < POOL {
            self.words.push(vector);
        }
    }

    /// Takes bytes back.
    pub fn give_bytes(&mut self, vector: Vec<u8>) {
        if self.bytes.len() < POOL {
            self.bytes.push(vector);
        }
    }
}
