//! Random numbers that follow from `PITON_CRASH_SEED`.

use std::time::{SystemTime, UNIX_EPOCH};

/// A source of random numbers.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Starts with the seed in the environment, or with a new one. Prints the seed, so that a failure can be repeated.
    ///
    /// # Panics
    /// If the seed in the environment is not a number.
    pub fn from_environment() -> Self {
        let seed = match std::env::var("PITON_CRASH_SEED") {
            Ok(seed) => seed.parse().expect("PITON_CRASH_SEED is a number"),
            Err(_) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
                now.as_nanos() as u64
            }
        };
        println!("PITON_CRASH_SEED={seed}");
        Self(seed)
    }

    /// A number below `limit`, by a linear congruential generator (Knuth's MMIX constants).
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
