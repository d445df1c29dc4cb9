//! Vectors for intermediate values that go back to a pool instead of the allocator.

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
        self.floats.push(vector);
    }

    /// Takes words back.
    pub fn give_words(&mut self, vector: Vec<u32>) {
        self.words.push(vector);
    }

    /// Takes bytes back.
    pub fn give_bytes(&mut self, vector: Vec<u8>) {
        self.bytes.push(vector);
    }
}
