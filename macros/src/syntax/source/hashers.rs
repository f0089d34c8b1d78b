//! Hash maps and sets by name, and whether one has a custom hasher.

/// The names, and the number of arguments without a hasher.
pub(crate) const HASHED: [(&str, usize); 2] = [("HashMap", 2), ("HashSet", 1)];

/// Whether a type with this number of arguments has a custom hasher.
pub(crate) fn has_own_hasher(name: &str, arguments: usize) -> bool {
    HASHED.iter().any(|(hashed, without)| *hashed == name && arguments > *without)
}

/// The number of generic arguments in a text.
pub(crate) fn argument_count(text: &str) -> usize {
    let mut depth = 0_i32;
    let commas = text.chars().filter(|c| {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        *c == ',' && depth == 0
    });
    usize::from(!text.trim().is_empty()) + commas.count()
}
