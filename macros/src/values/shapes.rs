//! The shape of a value: whether it is or contains texts, and whether those are literals.

use std::collections::HashMap;

use syn::{Expr, GenericArgument, Lit, Macro, Member, Type, UnOp};

use super::text_types::{is_list, of_constant, of_result, returns_literal};
use crate::ir::{LocalId, Locals, Shape};
use crate::syntax::macros;
use crate::syntax::methods::{is_one_of, tried};
use crate::syntax::names::is_any_of;
use crate::syntax::results::ends;
use crate::syntax::select::Select;

/// The shape of an expression's value.
pub(crate) fn of_value(locals: &Locals, shapes: &Shapes, expr: &Expr) -> Shape {
    let of = |expr: &Expr| of_value(locals, shapes, expr);
    match expr {
        Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => Shape::Text,
        Expr::Paren(expr) => of(&expr.expr),
        Expr::Group(expr) => of(&expr.expr),
        Expr::Path(path) => match path.path.get_ident() {
            Some(ident) => match locals.find(ident) {
                Some(local) => shapes.get(&local).cloned().unwrap_or(Shape::Unknown),
                None => of_constant(ident),
            },
            None => Shape::Unknown,
        },
        Expr::Reference(borrow) => match &*borrow.expr {
            Expr::Array(_) => of(&borrow.expr),
            Expr::Index(part) if matches!(*part.index, Expr::Range(_)) => {
                Some(of(&part.expr)).filter(Shape::is_text).unwrap_or(Shape::Unknown)
            }
            Expr::Unary(text) if matches!(text.op, UnOp::Deref(_)) => {
                Some(of(&text.expr)).filter(Shape::is_text).unwrap_or(Shape::Unknown)
            }
            _ => Shape::Unknown,
        },
        Expr::Try(expr) => match of(tried(expr)) {
            Shape::Wrapped(shape) => *shape,
            _ => Shape::Unknown,
        },
        Expr::Tuple(expr) => Shape::Tuple(expr.elems.iter().map(of).collect()),
        Expr::Index(expr) => match of(&expr.expr) {
            list @ Shape::List(_) if matches!(*expr.index, Expr::Range(_)) => list,
            Shape::List(item) => *item,
            _ => Shape::Unknown,
        },
        Expr::Field(expr) => match (of(&expr.base), &expr.member) {
            (Shape::Tuple(shapes), Member::Unnamed(index)) => {
                shapes.into_iter().nth(index.index as usize).unwrap_or(Shape::Unknown)
            }
            _ => Shape::Unknown,
        },
        Expr::Array(expr) => Shape::List(Box::new(one_of(locals, expr.elems.iter(), &of))),
        Expr::Block(_) | Expr::If(_) | Expr::Match(_) | Expr::Loop(_) => {
            one_of(locals, ends(expr).into_iter(), &of)
        }
        Expr::Call(call) if is_wrapper(&call.func) => match call.args.first().map(of) {
            Some(shape) if shape != Shape::Unknown => Shape::Wrapped(Box::new(shape)),
            _ => Shape::Unknown,
        },
        Expr::Call(call) if is_made_by(&call.func, "String", "from_utf8_lossy") => Shape::Cow,
        Expr::Call(call) if is_made_by(&call.func, "RangeInclusive", "new") => Shape::Range,
        Expr::Call(call) if is_list_made_by(call, &["from"]) => match call.args.first().map(of) {
            Some(list @ Shape::List(_)) => list,
            _ => Shape::Unknown,
        },
        Expr::Range(range) if is_inclusive(range) => Shape::Range,
        Expr::MethodCall(call) if is_one_of(&["clone", "take"], call) && call.args.is_empty() => {
            of(&call.receiver)
        }
        Expr::MethodCall(call) if is_same_items(call) || is_collected(call) => {
            match of(&call.receiver) {
                list @ Shape::List(_) => list,
                _ => Shape::Unknown,
            }
        }
        Expr::MethodCall(call) if is_one_of(&["pop", "pop_back", "pop_front"], call) => {
            match of(&call.receiver) {
                Shape::List(item) => Shape::Wrapped(item),
                _ => Shape::Unknown,
            }
        }
        Expr::MethodCall(call) if is_one_of(&["copied", "cloned"], call) => copied(call, &of),
        Expr::MethodCall(call) if is_one_of(&OPENED, call) => opened(call, &of),
        Expr::MethodCall(call) if call.method == "zip" => {
            zip(of(&call.receiver), call.args.first().map_or(Shape::Unknown, of))
        }
        Expr::MethodCall(call) if call.method == "enumerate" => {
            zip(Shape::Unknown, of(&call.receiver))
        }
        Expr::MethodCall(call) if call.method == "as_str" && call.args.is_empty() => Shape::Lent,
        Expr::MethodCall(call) => {
            part_of_text(call, of(&call.receiver)).unwrap_or_else(|| of_result(&call.method))
        }
        Expr::Call(call) => match (&*call.func, of(&call.func)) {
            (_, Shape::Gives(shape)) => *shape,
            (Expr::Path(path), _) => {
                path.path.segments.last().map_or(Shape::Unknown, |last| of_result(&last.ident))
            }
            _ => Shape::Unknown,
        },
        Expr::Closure(closure) => match of(&closure.body) {
            Shape::Unknown => Shape::Unknown,
            shape => Shape::Gives(Box::new(shape)),
        },
        Expr::Macro(call) => of_macro(locals, &call.mac, &of),
        _ => Shape::Unknown,
    }
}

/// The shape of the part that a method borrows from a `text`.
pub(crate) fn part_of_text(call: &syn::ExprMethodCall, text: Shape) -> Option<Shape> {
    let pair = || Shape::Tuple(vec![text.clone(), text.clone()]);
    let part = match &*call.method.to_string() {
        "trim" | "trim_end" | "trim_end_matches" | "trim_matches" | "trim_start"
        | "trim_start_matches" => text.clone(),
        "get" | "strip_prefix" | "strip_suffix" => Shape::Wrapped(Box::new(text.clone())),
        "rsplit_once" | "split_once" => Shape::Wrapped(Box::new(pair())),
        "split_at" => pair(),
        _ => return None,
    };
    text.is_text().then_some(part)
}

/// The shape of a value that is one of several.
fn one_of<'e>(
    locals: &Locals,
    values: impl Iterator<Item = &'e Expr>,
    of: &dyn Fn(&Expr) -> Shape,
) -> Shape {
    let shapes = values.map(|value| match of(value) {
        Shape::Unknown if shows_no_text(locals, value) => None,
        shape => Some(shape),
    });
    shapes.flatten().reduce(Shape::or).unwrap_or(Shape::Unknown)
}

/// Whether the source of a value shows no text although its type may be that of a literal: a `None`, an empty list, a
/// constant or a part of one, or a function of this file that returns a `&'static str`.
pub(crate) fn shows_no_text(locals: &Locals, value: &Expr) -> bool {
    let shows_no_text = |value: &Expr| shows_no_text(locals, value);
    match value {
        Expr::Lit(_) => true,
        Expr::Paren(expr) => shows_no_text(&expr.expr),
        Expr::Reference(expr) => shows_no_text(&expr.expr),
        // A name declared by a block without an await is not in `locals`.
        Expr::Path(path) => path.path.get_ident().is_none_or(|ident| {
            locals.find(ident).is_none() && ident.to_string().starts_with(char::is_uppercase)
        }),
        Expr::Field(expr) => shows_no_text(&expr.base),
        Expr::Index(expr) => shows_no_text(&expr.expr),
        Expr::Call(call) if is_wrapper(&call.func) => call.args.iter().all(shows_no_text),
        Expr::Call(call) if is_list_made_by(call, &["new", "with_capacity"]) => true,
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                path.path.segments.last().is_some_and(|last| returns_literal(&last.ident))
            }
            _ => false,
        },
        Expr::MethodCall(call) => returns_literal(&call.method),
        Expr::Macro(call) if macros::name(&call.mac) == "vec" => call.mac.tokens.is_empty(),
        Expr::Macro(call) => macros::is_static(&call.mac),
        _ => false,
    }
}

/// Methods that return the content of an `Option` or `Result`, or a value of that type.
const OPENED: [&str; 7] = [
    "expect",
    "map_or",
    "map_or_else",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// The shape of the content of an `Option`, or of the value that replaces it.
fn opened(call: &syn::ExprMethodCall, of: &dyn Fn(&Expr) -> Shape) -> Shape {
    let given = call.args.iter().map(|arg| match arg {
        Expr::Closure(closure) => of(&closure.body),
        arg => of(arg),
    });
    let inner = match of(&call.receiver) {
        Shape::Wrapped(shape) => *shape,
        _ => Shape::Unknown,
    };
    let method = call.method.to_string();
    let inner = (!method.starts_with("map_or")).then_some(inner);
    match &*method {
        "expect" | "unwrap" | "unwrap_or_default" => inner.unwrap_or(Shape::Unknown),
        _ => inner.into_iter().chain(given).reduce(Shape::or).unwrap_or(Shape::Unknown),
    }
}

/// The shape of copied borrows: `names.get(n).copied()`.
fn copied(call: &syn::ExprMethodCall, of: &dyn Fn(&Expr) -> Shape) -> Shape {
    let Expr::MethodCall(lent) = &*call.receiver else { return Shape::Unknown };
    match of(&lent.receiver) {
        Shape::List(item) if is_one_of(&["first", "get", "last"], lent) => Shape::Wrapped(item),
        list @ Shape::List(_) if lent.method == "iter" => list,
        _ => Shape::Unknown,
    }
}

/// The shape of pairs whose texts must be of one kind.
fn zip(left: Shape, right: Shape) -> Shape {
    let item = |list| match list {
        Shape::List(item) => *item,
        _ => Shape::Unknown,
    };
    match [item(left), item(right)] {
        [Shape::Unknown, Shape::Unknown] => Shape::Unknown,
        pair => Shape::List(Box::new(Shape::Tuple(pair.into()))),
    }
}

fn of_macro(locals: &Locals, mac: &Macro, of: &dyn Fn(&Expr) -> Shape) -> Shape {
    if let Some(select) = Select::of(mac) {
        let handlers = select.arms.iter().flat_map(|arm| ends(&arm.handler));
        return one_of(locals, handlers, of);
    }
    match macros::name(mac).as_str() {
        "concat" | "env" | "file" | "include_str" | "module_path" | "stringify" => Shape::Text,
        "option_env" => Shape::Wrapped(Box::new(Shape::Text)),
        "vec" => {
            let pieces = macros::parse(mac).unwrap_or_default();
            let items = pieces.iter().filter_map(|piece| match piece {
                macros::Piece::Expr(expr, _) => Some(&**expr),
                macros::Piece::Tokens(_) => None,
            });
            match one_of(locals, items, of) {
                Shape::Unknown if mac.tokens.is_empty() => Shape::Unknown,
                item => Shape::List(Box::new(item)),
            }
        }
        _ => Shape::Unknown,
    }
}

/// `Some`, `Ok` or `Err`
pub(crate) fn is_wrapper(path: &Expr) -> bool {
    let Expr::Path(path) = path else { return false };
    path.path.segments.last().is_some_and(|last| is_any_of(&last.ident, &["Some", "Ok", "Err"]))
}

/// `String::from_utf8_lossy`, for example.
fn is_made_by(path: &Expr, ty: &str, function: &str) -> bool {
    let Expr::Path(path) = path else { return false };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    names.next().is_some_and(|name| name == function) && names.next().is_some_and(|name| name == ty)
}

/// `Vec::from`, for example.
fn is_list_made_by(call: &syn::ExprCall, functions: &[&str]) -> bool {
    let is_made_by = |ty| functions.iter().any(|function| is_made_by(&call.func, ty, function));
    is_made_by("Vec") || is_made_by("VecDeque")
}

/// `.collect::<Vec<_>>()`
fn is_collected(call: &syn::ExprMethodCall) -> bool {
    let Some(GenericArgument::Type(Type::Path(list))) =
        call.turbofish.as_ref().and_then(|given| given.args.first())
    else {
        return false;
    };
    let last = list.path.segments.last();
    call.method == "collect" && last.is_some_and(|last| is_list(&last.ident))
}

/// `a..=b` over countable values.
fn is_inclusive(range: &syn::ExprRange) -> bool {
    let is_counted =
        |end: &Expr| !matches!(end, Expr::Lit(literal) if matches!(literal.lit, Lit::Float(_)));
    let ends = [&range.start, &range.end];
    matches!(range.limits, syn::RangeLimits::Closed(_))
        && ends.iter().all(|end| end.as_deref().is_some_and(is_counted))
}

/// Whether the method returns an iterator over the same items, or some of them.
fn is_same_items(call: &syn::ExprMethodCall) -> bool {
    const METHODS: [&str; 13] = [
        "chain",
        "cycle",
        "drain",
        "filter",
        "inspect",
        "into_iter",
        "rev",
        "skip",
        "skip_while",
        "step_by",
        "take",
        "take_while",
        "to_vec",
    ];
    is_any_of(&call.method, &METHODS)
}

/// The shapes of the locals.
pub(crate) type Shapes = HashMap<LocalId, Shape>;
