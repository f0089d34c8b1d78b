//! Closures and functions that return a borrow of a part of their argument: `|order| &order.lines`, `|name|
//! name.split(' ').next()`, `String::as_str`.

use syn::{Expr, ExprMethodCall, Pat};

use crate::syntax::methods::{Fact, is, is_one_of, named};
use crate::syntax::patterns::bindings;

/// Methods of an `Option` or iterator that return the borrow which a function returns for the content.
const PROJECTING: [&str; 5] = ["and_then", "filter_map", "find_map", "flat_map", "map"];

/// Whether the method returns a borrow of a part of the items of an iterator, or of the content of an `Option`, as far
/// as the source shows. With `have_numbers`, the items are pairs with a number, which is not borrowed.
pub(crate) fn projects(call: &ExprMethodCall, have_numbers: bool) -> bool {
    let gives_items = call.method == "flat_map";
    let mut args = call.args.iter();
    match (args.next(), args.next()) {
        (Some(function), None) if is_one_of(&PROJECTING, call) => {
            lends(function, gives_items, have_numbers)
        }
        (Some(_), Some(function)) if call.method == "map_or" && call.args.len() == 2 => {
            lends(function, false, have_numbers)
        }
        _ => false,
    }
}

fn lends(function: &Expr, gives_items: bool, have_numbers: bool) -> bool {
    match function {
        Expr::Path(path) => {
            let segments = &path.path.segments;
            let name = segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            segments.len() > 1 && (named(&name, Fact::Part) || named(&name, Fact::Whole))
        }
        Expr::Closure(closure) => {
            let [input] = &closure.inputs.iter().collect::<Vec<_>>()[..] else { return false };
            closure.output == syn::ReturnType::Default
                && returns_part(&closure.body, input, gives_items, have_numbers)
        }
        _ => false,
    }
}

/// Whether the body of a closure returns a borrow of a part of its `input`.
pub(crate) fn returns_part(
    body: &Expr,
    input: &Pat,
    gives_items: bool,
    have_numbers: bool,
) -> bool {
    match body {
        Expr::Paren(expr) => returns_part(&expr.expr, input, gives_items, have_numbers),
        Expr::Reference(expr) => expr.mutability.is_none() && is_of(&expr.expr, input),
        Expr::MethodCall(call) => {
            let lends = is(call, Fact::Part)
                || is(call, Fact::Whole)
                || is(call, Fact::Positional)
                || gives_items && is(call, Fact::Items);
            lends && is_of(&call.receiver, input)
        }
        // A part that the pattern binds by reference, unless it may be the number.
        Expr::Path(_) => !have_numbers && !gives_items && is_bound_by_reference(body, input),
        _ => false,
    }
}

/// Whether the expression uses a binding of the pattern.
fn is_of(expr: &Expr, input: &Pat) -> bool {
    match expr {
        Expr::Field(expr) => is_of(&expr.base, input),
        Expr::Index(expr) => is_of(&expr.expr, input),
        Expr::Paren(expr) => is_of(&expr.expr, input),
        Expr::MethodCall(call) => is_of(&call.receiver, input),
        Expr::Unary(expr) => is_of(&expr.expr, input),
        Expr::Path(path) => {
            path.path.get_ident().is_some_and(|ident| bindings(input).contains(ident))
        }
        _ => false,
    }
}

/// Whether the expression is a binding of a part of the pattern's input.
fn is_bound_by_reference(local: &Expr, input: &Pat) -> bool {
    match input {
        Pat::Ident(pat) => pat.by_ref.is_none() && is_of(local, input),
        Pat::Tuple(pat) => {
            let mut parts = pat.elems.iter().filter(|part| is_of(local, part));
            parts.next().is_some_and(|part| is_bound_by_reference(local, part))
        }
        _ => false,
    }
}
