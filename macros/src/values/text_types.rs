//! Texts in types that the source declares.

use syn::{GenericArgument, Ident, PathArguments, Type};

use crate::ir::Shape;
use crate::syntax::source::file_of;

/// The shape of a constant of the body or the file, by its declared type; a `&str` in it is `'static`. All constants of
/// that name must have the same shape.
pub(crate) fn of_constant(name: &Ident) -> Shape {
    let Some(file) = file_of(name.span()) else { return Shape::Unknown };
    let mut shapes = declared(&file.text, name).into_iter().map(of_declared);
    let first = shapes.next().unwrap_or(Shape::Unknown);
    if shapes.all(|shape| shape == first) { first } else { Shape::Unknown }
}

/// Whether a constant of this name in the body or the file is a borrow.
pub(crate) fn is_borrow(name: &Ident) -> bool {
    let Some(file) = file_of(name.span()) else { return false };
    let declared = declared(&file.text, name);
    !declared.is_empty() && declared.iter().all(|rest| rest.trim_start().starts_with('&'))
}

/// The text after the name, in each declaration of a constant of this name.
fn declared<'t>(text: &'t str, name: &Ident) -> Vec<&'t str> {
    let of = |word| text.split(&format!("{word} {name}:")).skip(1).collect::<Vec<_>>();
    [of("const"), of("static")].concat()
}

/// The shape of the results of the file's functions of this name, if they contain literals and are the same.
pub(crate) fn of_result(name: &Ident) -> Shape {
    let Some(file) = file_of(name.span()) else { return Shape::Unknown };
    if !file.text.contains("&'static str") {
        return Shape::Unknown;
    }
    let mut shapes =
        return_types(&file.text, &name.to_string()).map(|given| of_written(given, false));
    let first = shapes.next().unwrap_or(Shape::Unknown);
    let is_known =
        first.holds_text() && first.is_of_literals() && shapes.all(|shape| shape == first);
    if is_known { first } else { Shape::Unknown }
}

/// The shape of the type before `=`.
fn of_declared(rest: &str) -> Shape {
    of_written(rest.split('=').next().unwrap_or_default(), true)
}

fn of_written(text: &str, elided_is_static: bool) -> Shape {
    // Other text is prose or unusual. It is not parsed, because rustc reports an error for text that is not a sequence
    // of tokens.
    let is_plain = |c: char| c.is_alphanumeric() || "_&'[](); ,<>:+*\n".contains(c);
    let ty = || syn::parse_str::<Type>(text).ok();
    let ty = (text.chars().all(is_plain) && is_balanced(text)).then(ty).flatten();
    ty.map_or(Shape::Unknown, |ty| of_type(&ty, elided_is_static))
}

/// Whether the file has functions of this name, and all return a `&'static str`.
pub(crate) fn returns_literal(name: &Ident) -> bool {
    let Some(file) = file_of(name.span()) else { return false };
    all_return_literals(&file.text, &name.to_string())
}

/// Whether a function of this name in the file returns a `&'static str`, perhaps within another type, and none returns
/// another borrow.
pub(crate) fn may_return_literal(name: &Ident) -> bool {
    let Some(file) = file_of(name.span()) else { return false };
    may_return_literals(&file.text, &name.to_string())
}

/// Whether a function of this name in the file returns a value without borrows.
pub(crate) fn may_return_owned(name: &Ident) -> bool {
    let Some(file) = file_of(name.span()) else { return false };
    return_types(&file.text, &name.to_string()).any(|given| !given.contains(['&', '\'']))
}

/// Whether a function of this name in the file takes a mutable borrow that the returned iterator may hold.
pub(crate) fn yields_lazily(name: &Ident) -> bool {
    let Some(file) = file_of(name.span()) else { return false };
    signatures(&file.text, &name.to_string()).any(mutates_lazily)
}

fn mutates_lazily(signature: &str) -> bool {
    let Some((taken, given)) = signature.rsplit_once("->") else { return false };
    let is_hidden = given.contains("impl ") || given.contains("dyn ");
    // A `Drain` removes the remaining items when it is dropped.
    let borrows = given.contains('\'') && !given.contains("Drain<");
    (is_hidden || borrows) && taken.contains('&') && taken.contains("mut ")
}

fn all_return_literals(text: &str, name: &str) -> bool {
    let mut given = return_types(text, name);
    let is_literal = |given: &str| given.split_whitespace().eq(["&'static", "str"]);
    given.next().is_some_and(is_literal) && given.all(is_literal)
}

fn may_return_literals(text: &str, name: &str) -> bool {
    let literal = "&'static str";
    let given: Vec<_> = return_types(text, name).collect();
    let borrows = |given: &&str| given.replace(literal, "").contains(['&', '\'']);
    given.iter().any(|given| given.contains(literal)) && !given.iter().any(borrows)
}

/// The return types of the functions of this name in the text.
fn return_types<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> + use<'t> {
    signatures(text, name).map(|signature| {
        let given = signature.rsplit_once("->").map_or("", |(_, given)| given);
        given.split("where").next().unwrap_or_default()
    })
}

/// The text of each function of this name, from its name to its body.
fn signatures<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> + use<'t> {
    let start = format!("fn {name}");
    let rest: Vec<_> = text.split(&start).skip(1).collect();
    let declared = rest.into_iter().filter(|rest| rest.starts_with(['(', '<']));
    declared.map(|rest| rest.split(['{', ';']).next().unwrap_or_default())
}

fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    let is_closed = text.chars().all(|c| match c {
        '(' | '[' => {
            open.push(c);
            true
        }
        ')' => open.pop() == Some('('),
        ']' => open.pop() == Some('['),
        _ => true,
    });
    is_closed && open.is_empty()
}

/// The shape of a declared type.
pub(crate) fn of_type(ty: &Type, elided_is_static: bool) -> Shape {
    if let Some(text) = of_text(ty, elided_is_static) {
        return text;
    }
    let of_type = |ty: &Type| of_type(ty, elided_is_static);
    let list = |ty: &Type| match of_type(ty) {
        Shape::Unknown => Shape::Unknown,
        shape => Shape::List(Box::new(shape)),
    };
    match ty {
        Type::Tuple(tuple) => Shape::Tuple(tuple.elems.iter().map(of_type).collect()),
        Type::Array(array) => list(&array.elem),
        Type::Slice(slice) if elided_is_static => list(&slice.elem),
        Type::Reference(ty) if elided_is_static => match of_type(&ty.elem) {
            list @ Shape::List(_) => list,
            _ => Shape::Unknown,
        },
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Shape::Unknown };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return Shape::Unknown;
            };
            match arguments.args.first() {
                _ if last.ident == "RangeInclusive" => Shape::Range,
                _ if last.ident == "Cow" => match arguments.args.last() {
                    Some(GenericArgument::Type(ty)) if is_str(ty) => Shape::Cow,
                    _ => Shape::Unknown,
                },
                Some(GenericArgument::Type(ty)) if is_list(&last.ident) => list(ty),
                Some(GenericArgument::Type(ty)) if last.ident == "Option" => {
                    Shape::Wrapped(Box::new(of_type(ty)))
                }
                _ => Shape::Unknown,
            }
        }
        _ => Shape::Unknown,
    }
}

/// Whether the name is `Vec` or `VecDeque`.
pub(crate) fn is_list(name: &Ident) -> bool {
    name == "Vec" || name == "VecDeque"
}

/// The shape of `&'static str` or `&str`.
fn of_text(ty: &Type, elided_is_static: bool) -> Option<Shape> {
    let Type::Reference(reference) = ty else { return None };
    let is_static = match &reference.lifetime {
        Some(lifetime) => lifetime.ident == "static",
        None => elided_is_static,
    };
    let is_text = is_str(&reference.elem) && reference.mutability.is_none();
    is_text.then_some(if is_static { Shape::Text } else { Shape::Lent })
}

fn is_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("str"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_say_what_is_a_text() {
        let list = |shape| Shape::List(Box::new(shape));
        assert_eq!(of_declared(" &str = \"a\";"), Shape::Text);
        assert_eq!(of_declared(" [&str; 2] = [];"), list(Shape::Text));
        let pair = Shape::Tuple(vec![Shape::Text, Shape::Unknown]);
        assert_eq!(of_declared(" &[(&'static str, u8)] = &[];"), list(pair));
        for other in [" u64 = 1;", " it's prose ) about `", " [&str", " Vec<\"", ""] {
            assert_eq!(of_declared(other), Shape::Unknown);
        }
    }

    #[test]
    fn declared_functions_say_what_they_give() {
        let file = "fn name(&self) -> &'static str { fn lent<'a>(of: &'a str) -> &'a str; \
                    fn with<F>(f: impl Fn() -> u8) -> &'static str where F: Copy { fn name_of() -> String {";
        for (name, is_literal) in
            [("name", true), ("with", true), ("lent", false), ("name_of", false), ("other", false)]
        {
            assert_eq!(all_return_literals(file, name), is_literal, "{name}");
        }
        assert!(!all_return_literals("fn a() -> &'static str {} fn a(&self) -> &str {", "a"));
    }

    #[test]
    fn declared_functions_say_what_they_may_give() {
        for (file, may_be_literal) in [
            ("fn a() -> &'static str {} fn a(&self) -> String {", true),
            ("fn a() -> Option<&'static str> {", true),
            ("fn a() -> &'static str {} fn a(&self) -> &str {", false),
            ("fn a() -> (&'static str, Part<'a>) {", false),
            ("fn a() -> String {", false),
            ("fn about() -> &'static str {", false),
        ] {
            assert_eq!(may_return_literals(file, "a"), may_be_literal, "{file}");
        }
    }
}
