//! Sources of random bits: the Mersenne Twister of NumPy's legacy functions and the PCG64 of `default_rng`.
//!
//! Sources: M. Matsumoto and T. Nishimura, "Mersenne Twister" (1998); M. E. O'Neill, "PCG" (2014), variant XSL-RR 128/64;
//! seeding as NumPy's `SeedSequence`.

/// A source of random bits with the buffers that NumPy keeps.
#[derive(Clone, Debug)]
pub struct Bits {
    source: Source,
}

/// The algorithms.
#[derive(Clone, Debug)]
enum Source {
    Mt {
        state: Box<[u32; 624]>,
        at: usize,
    },
    Pcg {
        state: u128,
        increment: u128,
        half: Option<u32>,
    },
}

/// Multiplier of the PCG64 step.
const PCG_MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl Bits {
    /// A Mersenne Twister, seeded as `np.random.seed(int)`.
    pub fn legacy(seed: u32) -> Self {
        let mut state = Box::new([0u32; 624]);
        state[0] = seed;
        for i in 1..624 {
            let last = state[i - 1];
            state[i] = 1_812_433_253u32
                .wrapping_mul(last ^ (last >> 30))
                .wrapping_add(i as u32);
        }
        Self {
            source: Source::Mt { state, at: 624 },
        }
    }

    /// A Mersenne Twister, seeded as `np.random.seed([..])`.
    pub fn legacy_from_key(key: &[u32]) -> Self {
        let mut bits = Self::legacy(19_650_218);
        if let (Source::Mt { state, .. }, false) = (&mut bits.source, key.is_empty()) {
            mix_key(state, key);
        }
        bits
    }

    /// A PCG64, seeded as `np.random.default_rng(entropy)`; words are little endian.
    pub fn pcg(entropy: &[u32]) -> Self {
        let words = seed_sequence(entropy);
        let wide = |i: usize| u128::from(words[i]) << 64 | u128::from(words[i + 1]);
        let increment = wide(2) << 1 | 1;
        let step = |state: u128| state.wrapping_mul(PCG_MULTIPLIER).wrapping_add(increment);
        let state = step(step(0).wrapping_add(wide(0)));
        Self {
            source: Source::Pcg {
                state,
                increment,
                half: None,
            },
        }
    }

    /// 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        match &mut self.source {
            Source::Mt { state, at } => twister_word(state, at),
            Source::Pcg { half, .. } => {
                if let Some(high) = half.take() {
                    return high;
                }
                let word = self.next_u64();
                if let Source::Pcg { half, .. } = &mut self.source {
                    *half = Some((word >> 32) as u32);
                }
                word as u32
            }
        }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        match &mut self.source {
            Source::Mt { state, at } => {
                let high = u64::from(twister_word(state, at));
                high << 32 | u64::from(twister_word(state, at))
            }
            Source::Pcg { state, increment, .. } => {
                *state = state.wrapping_mul(PCG_MULTIPLIER).wrapping_add(*increment);
                let folded = (*state >> 64) as u64 ^ *state as u64;
                folded.rotate_right((*state >> 122) as u32)
            }
        }
    }

    /// A binary64 in `[0, 1)`.
    pub fn next_f64(&mut self) -> f64 {
        match &mut self.source {
            Source::Mt { state, at } => {
                let high = twister_word(state, at) >> 5;
                let low = twister_word(state, at) >> 6;
                (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
            }
            Source::Pcg { .. } => (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0),
        }
    }

    /// A binary32 in `[0, 1)`.
    pub fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// An integer in `0..=range`, by rejection under a mask.
    pub fn masked(&mut self, range: u64) -> u64 {
        if range == 0 {
            return 0;
        }
        let mask = u64::MAX >> range.leading_zeros();
        loop {
            let value = if range <= u64::from(u32::MAX) {
                u64::from(self.next_u32())
            } else {
                self.next_u64()
            } & mask;
            if value <= range {
                return value;
            }
        }
    }

    /// An integer in `0..=range`, by Lemire's multiplication.
    pub fn lemire(&mut self, range: u64) -> u64 {
        match range {
            0 => 0,
            u64::MAX => self.next_u64(),
            0xffff_ffff => u64::from(self.next_u32()),
            _ if range < u64::from(u32::MAX) => {
                let count = range + 1;
                let mut product = u64::from(self.next_u32()) * count;
                let threshold = (u64::from(u32::MAX) - range) % count;
                while (product & 0xffff_ffff) < threshold {
                    product = u64::from(self.next_u32()) * count;
                }
                product >> 32
            }
            _ => {
                let count = u128::from(range) + 1;
                let mut product = u128::from(self.next_u64()) * count;
                let threshold = u128::from(u64::MAX - range) % count;
                while (product & u128::from(u64::MAX)) < threshold {
                    product = u128::from(self.next_u64()) * count;
                }
                (product >> 64) as u64
            }
        }
    }
}

/// Integers of 8 or 16 bits, several from each 32-bit word.
#[derive(Debug, Default)]
pub struct Pieces {
    word: u32,
    left: u32,
}

impl Pieces {
    /// The next `width` bits of the stream.
    fn next(&mut self, bits: &mut Bits, width: u32) -> u64 {
        if self.left == 0 {
            self.word = bits.next_u32();
            self.left = 32 / width - 1;
        } else {
            self.word >>= width;
            self.left -= 1;
        }
        u64::from(self.word) & ((1 << width) - 1)
    }

    /// An integer in `0..=range` of `width` bits, as NumPy draws narrow dtypes.
    pub fn draw(&mut self, bits: &mut Bits, range: u64, width: u32, masked: bool) -> u64 {
        let full = (1u64 << width) - 1;
        if range == 0 {
            return 0;
        }
        if range == full {
            return self.next(bits, width);
        }
        if masked {
            let mask = u64::MAX >> range.leading_zeros();
            loop {
                let value = self.next(bits, width) & mask;
                if value <= range {
                    return value;
                }
            }
        }
        let count = range + 1;
        let threshold = (full - range) % count;
        loop {
            let product = self.next(bits, width) * count;
            if product & full >= threshold {
                return product >> width;
            }
        }
    }

    /// A truth value.
    pub fn truth(&mut self, bits: &mut Bits) -> bool {
        self.next(bits, 1) == 1
    }
}

/// The next tempered word of the Mersenne Twister.
fn twister_word(state: &mut [u32; 624], at: &mut usize) -> u32 {
    if *at == 624 {
        for i in 0..624 {
            let y = (state[i] & 0x8000_0000) | (state[(i + 1) % 624] & 0x7fff_ffff);
            let feedback = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ feedback;
        }
        *at = 0;
    }
    let mut y = state[*at];
    *at += 1;
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    y ^ (y >> 18)
}

/// The array seeding of the reference implementation.
fn mix_key(state: &mut [u32; 624], key: &[u32]) {
    let previous = |state: &[u32; 624], i: usize| state[i - 1] ^ (state[i - 1] >> 30);
    let mut i = 1;
    for step in 0..key.len().max(624) {
        let j = step % key.len();
        let mixed = state[i] ^ previous(state, i).wrapping_mul(1_664_525);
        state[i] = mixed.wrapping_add(key[j]).wrapping_add(j as u32);
        i += 1;
        if i == 624 {
            state[0] = state[623];
            i = 1;
        }
    }
    for _ in 1..624 {
        state[i] = (state[i] ^ previous(state, i).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
        i += 1;
        if i == 624 {
            state[0] = state[623];
            i = 1;
        }
    }
    state[0] = 0x8000_0000;
}

/// One step of the hash of `SeedSequence`; `constant` moves on.
fn hash(value: u32, constant: &mut u32, multiplier: u32) -> u32 {
    let value = value ^ *constant;
    *constant = constant.wrapping_mul(multiplier);
    let value = value.wrapping_mul(*constant);
    value ^ (value >> 16)
}

/// Joins two words of the pool.
fn mix(x: u32, y: u32) -> u32 {
    let mixed = x.wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
    mixed ^ (mixed >> 16)
}

/// Four words of state from entropy, as NumPy's `SeedSequence` generates them.
fn seed_sequence(entropy: &[u32]) -> [u64; 4] {
    let mut constant = 0x43b0_d7e5;
    let mut absorb = |value| hash(value, &mut constant, 0x931e_8875);
    let mut pool = [0u32; 4];
    for (i, word) in pool.iter_mut().enumerate() {
        *word = absorb(entropy.get(i).copied().unwrap_or(0));
    }
    for from in 0..4 {
        for to in (0..4).filter(|&to| to != from) {
            pool[to] = mix(pool[to], absorb(pool[from]));
        }
    }
    for &word in entropy.iter().skip(4) {
        for slot in &mut pool {
            *slot = mix(*slot, absorb(word));
        }
    }
    let mut constant = 0x8b51_f9dd;
    let mut words = (0..8).map(|i| u64::from(hash(pool[i % 4], &mut constant, 0x58f3_8ded)));
    std::array::from_fn(|_| words.next().unwrap_or(0) | words.next().unwrap_or(0) << 32)
}
