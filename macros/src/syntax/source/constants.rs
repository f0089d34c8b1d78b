//! The types of the constants that a file declares.

use syn::{Path, PathArguments};

use super::file_of;
use super::pieces::next_piece;

/// Types of owned values that can be saved.
const PLAIN: [&str; 16] = [
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32",
    "u64", "u8", "usize",
];

/// Whether the path names a constant of its file with the type of a number, `bool` or `char`. Constants of other files
/// are unknown.
pub(crate) fn is_plain_constant(path: &Path) -> bool {
    let Some(last) = path.segments.last() else { return false };
    last.arguments == PathArguments::None
        && file_of(last.ident.span())
            .is_some_and(|file| declares_plain(&file.text, &last.ident.to_string()))
}

/// Whether the text declares a constant of this name, and all of that name have such a type.
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
