//! The contents of the constants that borrows are made of again after an await.
//!
//! A saved position or key means something in a certain list. Where that list is a constant of the program, the definition
//! of the workflow changes with its contents.

use std::fmt::Debug;

use serde::Serialize;

use crate::codec;
use crate::machine::Context;
use crate::model::StableHash;

/// A constant, whatever traits its type has. `(&&&Constant(&STAGES)).piton_content()` takes the first of the traits below
/// that fits.
#[derive(Debug)]
pub struct Constant<'a, T: ?Sized>(pub &'a T);

/// See [`Constant`].
pub trait ContentBySerde {
    /// A hash of the content.
    fn piton_content(&self) -> u64;
}

/// See [`Constant`].
pub trait ContentByDebug {
    /// A hash of the content.
    fn piton_content(&self) -> u64;
}

/// See [`Constant`].
pub trait NoContent {
    /// Nothing is known.
    fn piton_content(&self) -> u64;
}

impl<T: Serialize + ?Sized> ContentBySerde for &&Constant<'_, T> {
    fn piton_content(&self) -> u64 {
        let mut written = Vec::new();
        match codec::encode_into(self.0, &mut written) {
            Ok(()) => hash(&written),
            Err(_) => 0,
        }
    }
}

impl<T: Debug + ?Sized> ContentByDebug for &Constant<'_, T> {
    fn piton_content(&self) -> u64 {
        // What these contain, or whether they have been initialized, is not for the program to know.
        const CHANGING: [&str; 6] = ["Atomic", "Cell", "Lazy", "Mutex", "Once", "RwLock"];
        let type_name = std::any::type_name::<T>();
        match CHANGING.iter().any(|changing| type_name.contains(changing)) {
            true => 0,
            false => hash(without_addresses(&format!("{:?}", self.0)).as_bytes()),
        }
    }
}

impl<T: ?Sized> NoContent for Constant<'_, T> {
    fn piton_content(&self) -> u64 {
        0
    }
}

/// The text without the addresses of functions, which differ from process to process.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut without = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        without += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    without
}

fn hash(content: &[u8]) -> u64 {
    let mut hash = StableHash::new();
    hash.add_bytes(content);
    hash.finish()
}

/// Describes the contents of the constants, in the order of their numbers in the graph, if the step is to tell what the
/// machine is made of.
pub fn describe_constants<const N: usize>(cx: &Context, contents: fn() -> [u64; N]) {
    if cx.is_describing() {
        cx.describe_constants(contents().to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice(number: u8) -> u8 {
        number * 2
    }

    fn half(number: u8) -> u8 {
        number / 2
    }

    struct Opaque;

    #[test]
    #[expect(clippy::needless_borrow, reason = "as generated code calls it")]
    fn a_content_is_known_by_serde_or_debug() {
        let numbers = |numbers: &[u8]| (&&&Constant(numbers)).piton_content();
        assert_eq!(numbers(&[1, 2]), numbers(&[1, 2]));
        assert_ne!(numbers(&[1, 2]), numbers(&[2, 1]));
        let step = |name: &str, run: fn(u8) -> u8| {
            let step = [(&name as &dyn Debug, run)];
            (&&&Constant(&step)).piton_content()
        };
        assert_ne!(step("a", twice), step("b", twice));
        // Where a function is differs from process to process.
        assert_eq!(step("a", twice), step("a", half));
        let lazy = std::sync::LazyLock::new(|| 5_u8);
        assert_eq!((&&&Constant(&lazy)).piton_content(), 0);
        assert_eq!((&&&Constant(&Opaque)).piton_content(), 0);
    }
}
