//! The order in which outstanding operations become ready.

use serde::{Deserialize, Serialize};

/// A generator of pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014), fixed here so that a
/// seed names the same program and the same script for ever.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence that `seed` names.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of the sequence.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which must not be zero. The bias is far below what could be noticed.
    pub fn below(&mut self, limit: usize) -> usize {
        // The remainder is below `limit`, so it fits.
        (self.draw() % limit as u64) as usize
    }

    /// Whether an event with this chance of `percent` in a hundred happens.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// How to choose what becomes ready next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Script {
    /// The oldest operation.
    Oldest,
    /// The newest operation.
    Newest,
    /// All of them at once.
    All,
    /// A random choice of at least one, from this seed.
    Random(u64),
}

impl Script {
    /// The scripts that every program is run with.
    pub const STANDARD: [Self; 6] =
        [Self::Oldest, Self::Newest, Self::All, Self::Random(1), Self::Random(2), Self::Random(3)];

    /// The script at work.
    pub fn start(self) -> Choices {
        let seed = if let Self::Random(seed) = self { seed } else { 0 };
        Choices { script: self, rng: Rng::new(seed) }
    }
}

/// A script at work.
#[derive(Clone, Debug)]
pub struct Choices {
    script: Script,
    rng: Rng,
}

impl Choices {
    /// Which of `count` operations, oldest first, become ready now: ascending, at least one.
    /// `count` must not be zero.
    pub fn choose(&mut self, count: usize) -> Vec<usize> {
        match self.script {
            Script::Oldest => vec![0],
            Script::Newest => vec![count - 1],
            Script::All => (0..count).collect(),
            Script::Random(_) => {
                let certain = self.rng.below(count);
                let rng = &mut self.rng;
                (0..count).filter(|index| *index == certain || rng.chance(25)).collect()
            }
        }
    }
}
