//! Paths and the kinds of their targets: constructors, constants and wrappers.

use syn::Expr;

/// Whether the result of the function contains its argument and nothing else, as that of `Some` does.
pub(crate) fn only_wraps(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let names: Vec<_> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
    match &names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["Some"] => true,
        [.., "Cow", function] => ["Borrowed", "from"].contains(function),
        _ => false,
    }
}

/// Whether the path names a constant, judged by its spelling.
pub(crate) fn names_constant(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| {
        let name = segment.ident.to_string();
        segment.arguments.is_none()
            && name.starts_with(|c: char| c.is_uppercase())
            && name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_')
    })
}

/// Whether the function is a tuple constructor, judged by its name.
pub(crate) fn is_constructor(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let name = path.path.segments.last().map(|segment| segment.ident.to_string());
    name.is_some_and(|name| name.starts_with(char::is_uppercase))
}
