//! Parts of pairs that methods return as borrows: `line.split_once('=')?.0`, `totals.first_key_value().unwrap().1`.
//!
//! A field of any other borrowed value is a copy, and is saved: `accounts.get(&id)?.cents`.

use syn::{Expr, ExprField, ExprMethodCall, Member, Pat};

use super::runtime_calls::is_made;
use crate::syntax::methods::{Fact, gives_part, is_any, is_one_of, tried};

/// Methods that lend two parts of what they are called on.
const PAIRS: [&str; 11] = [
    "first_key_value",
    "get_key_value",
    "last_key_value",
    "rsplit_once",
    "split_at",
    "split_at_mut",
    "split_first",
    "split_first_mut",
    "split_last",
    "split_last_mut",
    "split_once",
];

/// Whether the field is a part of a pair that a method lends.
pub(crate) fn is_part(field: &ExprField) -> bool {
    matches!(field.member, Member::Unnamed(_)) && gives_pair(&field.base)
}

/// Whether a method lends the pair, or an `Option` of one.
pub(crate) fn gives_pair(value: &Expr) -> bool {
    match value {
        Expr::Paren(expr) => gives_pair(&expr.expr),
        Expr::Try(expr) => gives_pair(tried(expr)),
        Expr::MethodCall(call) => {
            let keeps = is_any(call, &[Fact::Opens, Fact::Defaults]) || call.method == "filter";
            match keeps {
                true => gives_pair(&call.receiver),
                false => is_one_of(&PAIRS, call) && gives_part(call) || finds_pair(call),
            }
        }
        Expr::Call(call) if is_made(call) => call.args.last().is_some_and(gives_pair),
        // As a pattern binds it that is made again.
        Expr::Match(expr) => {
            expr.arms.first().is_some_and(|arm| is_whole(&arm.body, &arm.pat))
                && gives_pair(&expr.expr)
        }
        _ => false,
    }
}

/// `lines.find_map(|line| line.split_once('='))`
fn finds_pair(call: &ExprMethodCall) -> bool {
    let finds = is_one_of(&["and_then", "find_map"], call);
    let function = call.args.first().filter(|_| finds);
    matches!(function, Some(Expr::Closure(closure)) if gives_pair(&closure.body))
}

/// Whether the expression is a part of the pair that a pattern binds of `lent`: `|pair| pair.0`.
pub(crate) fn is_part_of_bound(part: &Expr, pat: &Pat, lent: &Expr) -> bool {
    let Expr::Field(field) = part else { return false };
    matches!(field.member, Member::Unnamed(_)) && is_whole(&field.base, pat) && gives_pair(lent)
}

/// Whether the expression is all that the pattern matches, or what is in a `Some` of it.
fn is_whole(value: &Expr, pat: &Pat) -> bool {
    match (value, pat) {
        (Expr::Path(path), Pat::Ident(pat)) => {
            pat.by_ref.is_none() && path.path.is_ident(&pat.ident)
        }
        (value, Pat::TupleStruct(pat)) => {
            pat.elems.len() == 1 && pat.elems.iter().all(|inner| is_whole(value, inner))
        }
        _ => false,
    }
}
