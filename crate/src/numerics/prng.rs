//! The XORWOW generator of the Vector and GpSimd engines.
//!
//! The documents name the algorithm and the size of its state (6 words a lane on GpSimd, 24 on the Vector Engine, which
//! is taken to be four generators in turn). How `set_rng_seed` spreads 32 bits over the lanes is not public:
//! [`Xorwow::seeded`] is the one place of that assumption.

/// One generator: Marsaglia's xorshift over five words plus a Weyl counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xorwow {
    state: [u32; 6],
}

impl Xorwow {
    /// A generator that goes on from `state`: five xorshift words, then the counter.
    pub fn from_state(state: [u32; 6]) -> Self {
        Self { state }
    }

    /// A generator for compute lane `lane` of an engine seeded with `seed`.
    pub fn seeded(seed: u32, lane: u32) -> Self {
        let mut word = seed ^ lane.wrapping_mul(0x9e37_79b9);
        Self {
            state: std::array::from_fn(|_| mix(&mut word)),
        }
    }

    /// The state, as `rand_get_state` stores it.
    pub fn state(&self) -> [u32; 6] {
        self.state
    }

    /// The next 32 bits.
    pub fn next_bits(&mut self) -> u32 {
        let [x, y, z, w, v, d] = self.state;
        let t = x ^ (x >> 2);
        let next = (v ^ (v << 4)) ^ (t ^ (t << 1));
        let counter = d.wrapping_add(362_437);
        self.state = [y, z, w, v, next, counter];
        next.wrapping_add(counter)
    }

    /// The next number in `[0, 1)`, a multiple of 2^-24.
    pub fn next_unit(&mut self) -> f32 {
        (self.next_bits() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// Fills a row with random bits.
    pub fn fill_bits(&mut self, out: &mut [u32]) {
        out.iter_mut().for_each(|word| *word = self.next_bits());
    }

    /// Fills a row with numbers uniform in `[min, max]`.
    pub fn fill_uniform(&mut self, min: f32, max: f32, out: &mut [f32]) {
        out.iter_mut()
            .for_each(|value| *value = min + (max - min) * self.next_unit());
    }

    /// `dropout`: zeroes each element of a row with probability `probability`.
    pub fn drop_out(&mut self, probability: f32, row: &mut [f32]) {
        row.iter_mut().for_each(|value| {
            if self.next_unit() < probability {
                *value = 0.0;
            }
        });
    }
}

/// Splitmix's counter and finaliser in 32 bits: a well mixed word for each step.
fn mix(word: &mut u32) -> u32 {
    *word = word.wrapping_add(0x9e37_79b9);
    let mut z = *word;
    z = (z ^ (z >> 16)).wrapping_mul(0x21f0_aaad);
    z = (z ^ (z >> 15)).wrapping_mul(0x735a_2d97);
    z ^ (z >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_marsaglias() {
        // The state that Marsaglia's paper starts from; the value was computed apart from this code.
        let mut generator =
            Xorwow::from_state([123_456_789, 362_436_069, 521_288_629, 88_675_123, 5_783_321, 6_615_241]);
        assert_eq!(generator.next_bits(), 246_875_399);
        assert_eq!(
            generator.state()[..4],
            [362_436_069, 521_288_629, 88_675_123, 5_783_321]
        );
        assert_eq!(generator.state()[5], 6_615_241 + 362_437);
    }

    #[test]
    fn lanes_differ_and_seeds_repeat() {
        let first = Xorwow::seeded(7, 0).next_bits();
        assert_eq!(first, Xorwow::seeded(7, 0).next_bits());
        assert_ne!(first, Xorwow::seeded(7, 1).next_bits());
        assert_ne!(first, Xorwow::seeded(8, 0).next_bits());
    }

    #[test]
    fn uniform_numbers_fill_their_range() {
        let mut values = [0f32; 4096];
        Xorwow::seeded(1, 0).fill_uniform(-2.0, 6.0, &mut values);
        assert!(values.iter().all(|x| (-2.0..=6.0).contains(x)));
        let mean = values.iter().sum::<f32>() / 4096.0;
        assert!((mean - 2.0).abs() < 0.2, "{mean}");
        let mut kept = [1f32; 4096];
        Xorwow::seeded(1, 0).drop_out(0.25, &mut kept);
        let share = kept.iter().sum::<f32>() / 4096.0;
        assert!((share - 0.75).abs() < 0.03, "{share}");
    }
}
