//! The types of the constants that a file declares.

use syn::{Path, PathArguments};

use super::file_of;
use super::pieces::next_piece;

/// Types whose values are no borrows and can be saved.
const PLAIN: [&str; 16] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32",
    "u64", "u8", "usize",
];

/// Whether the path names a constant of its file that is a number, a truth value or a character. A constant of another
/// file is not known.
pub(crate) fn is_plain_constant(path: &Path) -> bool {
    let Some(last) = path.segments.last() else { return false };
    last.arguments == PathArguments::None
        && file_of(last.ident.span())
            .is_some_and(|file| declares_plain(&file.text, &last.ident.to_string()))
}

/// Whether all constants of this name in a text have such a type, and there is one.
fn declares_plain(text: &str, name: &str) -> bool {
    let (mut next, mut last, mut is_declared) = (0, ["", "", ""], false);
    while let Some((_, piece)) = next_piece(text, &mut next) {
        if last == ["const", name, ":"] {
            is_declared = true;
            let (_, after) = next_piece(text, &mut next).unwrap_or_default();
            if !PLAIN.contains(&piece) || after != "=" {
                return false;
            }
        }
        last = [last[1], last[2], piece];
    }
    is_declared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_type_counts() {
        let text = "pub const A: u64 = 5; // const B: u64 = 1;\nconst C: [u8; 2] = [1, 2];\nconst D: &str = \"\";\n\
                    mod m { pub(crate) const E : char='x'; const F: u8 = 1; }\nconst F: T = T;\nconst G: u8::T = 1;";
        let plain = |name: &&str| declares_plain(text, name);
        let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
        assert_eq!(names.into_iter().filter(plain).collect::<Vec<_>>(), ["A", "E"]);
    }
}
