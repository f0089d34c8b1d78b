//! Order and bytes without pattern, the same in every run.

use uuid::Uuid;

use super::Row;

/// The rows of a table that was just filled, in an order without pattern.
pub(super) fn scattered(keys: Vec<Uuid>) -> Vec<Row> {
    let mut rows: Vec<Row> = keys.into_iter().map(|run_id| Row { run_id, step_no: 0 }).collect();
    scatter(&mut rows);
    rows
}

/// Puts rows into an order without pattern (Fisher-Yates).
pub(super) fn scatter(rows: &mut [Row]) {
    let mut random = XorShift::new();
    for last in (1..rows.len()).rev() {
        rows.swap(last, random.next() as usize % (last + 1));
    }
}

/// Bytes that do not compress.
pub(super) fn noise(length: usize) -> Vec<u8> {
    let mut random = XorShift::new();
    std::iter::repeat_with(|| random.next() as u8).take(length).collect()
}

/// Marsaglia's xorshift64: the same numbers in every run.
struct XorShift(u64);

impl XorShift {
    fn new() -> Self {
        Self(0x2545_F491_4F6C_DD1D)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The high bits are the better ones.
        self.0 >> 16
    }
}
