//! A struct with the locals of a saved state, as source code for the user.

use std::fmt::Write as _;

use super::StoredDefinition;

/// The source of a struct with the locals of a state as fields.
pub(crate) fn old_struct(definition: &StoredDefinition, state: u32) -> String {
    let Some(state) = definition.states.get(state as usize) else { return String::new() };
    let mut text = format!("#[derive(Deserialize)]\nstruct Old{} {{\n", upper_camel(&state.name));
    for local in &state.locals {
        let field = identifier(&local.name);
        if field != local.name {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    #[serde(rename = {:?})]", local.name);
        }
        let schema = definition.schema(local.schema);
        let traced = || schema.map_or_else(|| "…".to_owned(), |schema| short(&schema.type_name));
        let ty = local.ty.clone().unwrap_or_else(traced);
        let _ = writeln!(text, "    {field}: {ty},");
    }
    text.push('}');
    text
}

/// `Charge2` of `charge#2`.
fn upper_camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars.clone()).collect::<String>()
    };
    words.map(capital).collect()
}

/// An identifier close to the local's name.
fn identifier(name: &str) -> String {
    let valid = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
    name.chars().map(valid).collect()
}

/// A type with each path shortened to its last segment.
fn short(ty: &str) -> String {
    let (mut text, mut path) = (String::with_capacity(ty.len()), String::new());
    let mut chars = ty.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ':' if chars.peek() == Some(&':') => {
                chars.next();
                path.clear();
            }
            c if c.is_alphanumeric() || c == '_' => path.push(c),
            c => {
                text.push_str(&path);
                path.clear();
                text.push(c);
            }
        }
    }
    text + &path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers_and_types_short() {
        assert_eq!(upper_camel("charge#2"), "Charge2");
        assert_eq!(upper_camel("signal<Go>"), "SignalGo");
        assert_eq!(identifier("order.lines"), "order_lines");
        assert_eq!(
            short("alloc::vec::Vec<(shop::Order, core::option::Option<u8>)>"),
            "Vec<(Order, Option<u8>)>"
        );
    }
}
