//! A hash function whose results are stored.

/// FNV-1a (Fowler, Noll, Vo): the same on every platform and with every compiler, unlike the hashers of the
/// standard library. It distinguishes definitions and schemas; it need not be hard to forge.
pub(crate) struct StableHash(u64);

impl StableHash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, text: &str) {
        self.add_bytes(text.as_bytes());
        // Occurs in no text, so that consecutive texts are distinguished.
        self.add_bytes(&[0xff]);
    }

    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}
