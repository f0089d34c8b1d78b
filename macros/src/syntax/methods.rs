//! Methods of the standard library, by name: how each uses its receiver, and what it returns.
//!
//! One table has a row for each name, so all properties of a method are in one place.
//!
//! ```text
//! order.lines.first()       first: Part                      returns a borrow of a part of `order.lines`
//! lines.iter().max()        iter: Items, max: Searches       returns a borrow of one of the items
//! list.push(line)           push: Mutable                    borrows `list` mutably
//! found.unwrap_or(line)     unwrap_or: ByValue, Defaults     moves `found`
//! ```

use syn::{Expr, ExprMethodCall, ExprTry, Ident};

use super::names::is_any_of;
use Fact::*;

/// A property of all methods of one name in the standard library. A user's type may have a method of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    // Properties of the receiver.
    /// Borrows it as shared, if called without arguments.
    SharedWithoutArgument,
    /// Borrows it as shared, if called with one argument.
    SharedWithArgument,
    /// Borrows it and the arguments as shared, and returns an owned value. These are methods of lists, maps, ranges and
    /// texts.
    Shared,
    /// Borrows it mutably.
    Mutable,
    /// Takes it by value.
    ByValue,
    /// Takes it by value and computes the result from it, as methods of `Option`, `Result` and `bool` do.
    Maps,

    // Properties of the result.
    /// Owned, if called without arguments; the receiver is not moved.
    Owned,
    /// A number or `bool`.
    Scalar,
    /// A borrow of a part of the receiver, or an `Option` of one.
    Part,
    /// As `Part`, and mutable.
    PartMut,
    /// As `Part`, and never `None`.
    Infallible,
    /// As `Part` or `PartMut`, for a lookup with one key.
    ByKey,
    /// A borrow of the whole receiver as a collection.
    Whole,
    /// An iterator over items or parts of the receiver.
    Items,
    /// One item of an iterator, selected by its position.
    Positional,
    /// One item of an iterator, selected by its value, so that it may be another one after a change.
    Searches,
    /// An iterator over the same items, or some of them, by position.
    Adapts,
    /// The items of an iterator, or the content of an `Option`, filtered by value.
    Filters,
    /// A lazy iterator.
    Iterator,
    /// The content of an `Option` or `Result`.
    Unwraps,
    /// The content of an `Option` or `Result`, or a default.
    Defaults,
    /// A `Result` with the error that `?` returns for a missing value.
    OkOr,
    /// A mutable borrow of the value in a map's entry, which the call may insert.
    Inserts,
}

/// By name.
#[rustfmt::skip]
const METHODS: &[(&str, &[Fact])] = &[
    ("all", &[Scalar]),
    ("and_then", &[Maps]),
    ("any", &[Scalar]),
    ("append", &[Mutable]),
    ("as_bytes", &[SharedWithoutArgument, Part, Infallible]),
    ("as_deref", &[Part, Infallible]),
    ("as_deref_mut", &[PartMut]),
    ("as_mut", &[PartMut]),
    ("as_mut_slice", &[PartMut]),
    ("as_os_str", &[Part, Infallible]),
    ("as_path", &[Part, Infallible]),
    ("as_ref", &[Part, Infallible]),
    ("as_slice", &[SharedWithoutArgument, Part, Infallible, Whole]),
    ("as_str", &[SharedWithoutArgument, Part, Infallible, Whole]),
    ("back", &[Part]),
    ("back_mut", &[PartMut]),
    ("by_ref", &[Iterator]),
    ("chain", &[Iterator]),
    ("char_indices", &[SharedWithoutArgument]),
    ("chars", &[SharedWithoutArgument]),
    ("chunk_by", &[Items]),
    ("chunks", &[Items]),
    ("chunks_exact", &[Items]),
    ("chunks_exact_mut", &[Items]),
    ("chunks_mut", &[Items]),
    ("clear", &[Mutable]),
    ("clone", &[SharedWithoutArgument, Owned]),
    ("cloned", &[Iterator]),
    ("concat", &[Shared]),
    ("contains", &[SharedWithArgument, Shared]),
    ("contains_key", &[SharedWithArgument, Shared]),
    ("context", &[OkOr]),
    ("copied", &[Iterator]),
    ("count", &[Scalar]),
    ("cycle", &[Adapts, Iterator]),
    ("dedup", &[Mutable]),
    ("difference", &[Items]),
    ("ends_with", &[SharedWithArgument, Shared]),
    ("enumerate", &[Adapts, Iterator]),
    ("err", &[Maps]),
    ("expect", &[ByValue, Unwraps]),
    ("expect_err", &[ByValue]),
    ("extend", &[Mutable]),
    ("file_stem", &[Part]),
    ("fill", &[Mutable]),
    ("filter", &[Maps, Filters, Iterator]),
    ("filter_map", &[Iterator]),
    ("find", &[Searches]),
    ("first", &[Part]),
    ("first_key_value", &[Part]),
    ("first_mut", &[PartMut]),
    ("flat_map", &[Iterator]),
    ("flatten", &[Maps, Adapts, Iterator]),
    ("front", &[Part]),
    ("front_mut", &[PartMut]),
    ("fuse", &[Iterator]),
    ("get", &[Part, ByKey]),
    ("get_key_value", &[Part, ByKey]),
    ("get_mut", &[PartMut, ByKey]),
    ("insert", &[Mutable]),
    ("inspect", &[Iterator]),
    ("intersection", &[Items]),
    ("into_iter", &[Iterator]),
    ("is_empty", &[SharedWithoutArgument, Owned, Scalar]),
    ("is_err", &[Shared, Scalar]),
    ("is_err_and", &[Scalar]),
    ("is_none", &[Shared, Scalar]),
    ("is_none_or", &[Scalar]),
    ("is_ok", &[Shared, Scalar]),
    ("is_ok_and", &[Scalar]),
    ("is_some", &[Shared, Scalar]),
    ("is_some_and", &[Scalar]),
    ("iter", &[Items]),
    ("iter_mut", &[Items]),
    ("join", &[Shared]),
    ("keys", &[Items]),
    ("last", &[Part, Positional]),
    ("last_key_value", &[Part]),
    ("last_mut", &[PartMut]),
    ("len", &[SharedWithoutArgument, Owned, Scalar]),
    ("lines", &[SharedWithoutArgument, Items]),
    ("map", &[Maps, Iterator]),
    ("map_err", &[Maps, OkOr]),
    ("map_or", &[ByValue]),
    ("map_or_else", &[ByValue]),
    ("map_while", &[Iterator]),
    ("match_indices", &[Items]),
    ("max", &[Searches]),
    ("max_by", &[Searches]),
    ("max_by_key", &[Searches]),
    ("min", &[Searches]),
    ("min_by", &[Searches]),
    ("min_by_key", &[Searches]),
    ("next", &[Mutable, Positional]),
    ("next_back", &[Mutable, Positional]),
    ("nth", &[Positional]),
    ("nth_back", &[Positional]),
    ("ok", &[Maps]),
    ("ok_or", &[Maps, OkOr]),
    ("ok_or_else", &[ByValue, OkOr]),
    ("or", &[Maps]),
    ("or_default", &[Inserts]),
    ("or_else", &[Maps]),
    ("or_insert", &[Inserts]),
    ("or_insert_with", &[Inserts]),
    ("peekable", &[Adapts, Iterator]),
    ("pop", &[Mutable, Owned]),
    ("pop_back", &[Mutable]),
    ("pop_first", &[Mutable]),
    ("pop_front", &[Mutable]),
    ("pop_last", &[Mutable]),
    ("push", &[Mutable]),
    ("push_back", &[Mutable]),
    ("push_front", &[Mutable]),
    ("push_str", &[Mutable]),
    ("range", &[Items]),
    ("range_mut", &[Items]),
    ("rchunks", &[Items]),
    ("rchunks_mut", &[Items]),
    ("repeat", &[Shared]),
    ("retain", &[Mutable]),
    ("rev", &[Adapts, Iterator]),
    ("reverse", &[Mutable]),
    ("rfind", &[Searches]),
    ("rsplit", &[Items]),
    ("rsplit_once", &[SharedWithArgument, Part, ByKey]),
    ("rsplit_terminator", &[Items]),
    ("rsplitn", &[Items]),
    ("scan", &[Iterator]),
    ("skip", &[Adapts, Iterator]),
    ("skip_while", &[Filters, Iterator]),
    ("sort", &[Mutable]),
    ("split", &[SharedWithArgument, Items]),
    ("split_ascii_whitespace", &[Items]),
    ("split_at", &[Part, Infallible, ByKey]),
    ("split_at_mut", &[PartMut, ByKey]),
    ("split_first", &[Part]),
    ("split_first_mut", &[PartMut]),
    ("split_inclusive", &[Items]),
    ("split_last", &[Part]),
    ("split_last_mut", &[PartMut]),
    ("split_once", &[SharedWithArgument, Part, ByKey]),
    ("split_terminator", &[Items]),
    ("split_whitespace", &[SharedWithoutArgument, Items]),
    ("splitn", &[Items]),
    ("starts_with", &[SharedWithArgument, Shared]),
    ("step_by", &[Adapts, Iterator]),
    ("strip_prefix", &[SharedWithArgument, Part, ByKey]),
    ("strip_suffix", &[SharedWithArgument, Part, ByKey]),
    ("symmetric_difference", &[Items]),
    ("take", &[Adapts, Iterator]),
    ("take_while", &[Filters, Iterator]),
    ("then", &[Maps]),
    ("then_some", &[Maps]),
    ("to_ascii_lowercase", &[Shared]),
    ("to_ascii_uppercase", &[Shared]),
    ("to_lowercase", &[SharedWithoutArgument, Shared]),
    ("to_owned", &[SharedWithoutArgument, Owned]),
    ("to_str", &[Part]),
    ("to_string", &[SharedWithoutArgument, Owned]),
    ("to_uppercase", &[SharedWithoutArgument, Shared]),
    ("to_vec", &[SharedWithoutArgument]),
    ("trim", &[SharedWithoutArgument, Part, Infallible]),
    ("trim_end", &[SharedWithoutArgument, Part, Infallible]),
    ("trim_end_matches", &[Part, Infallible, ByKey]),
    ("trim_matches", &[Part, Infallible, ByKey]),
    ("trim_start", &[SharedWithoutArgument, Part, Infallible]),
    ("trim_start_matches", &[Part, Infallible, ByKey]),
    ("truncate", &[Mutable]),
    ("union", &[Items]),
    ("unwrap", &[ByValue, Unwraps]),
    ("unwrap_err", &[ByValue]),
    ("unwrap_or", &[ByValue, Defaults]),
    ("unwrap_or_default", &[ByValue, Defaults]),
    ("unwrap_or_else", &[ByValue]),
    ("values", &[Items]),
    ("values_mut", &[Items]),
    ("windows", &[Items]),
    ("with_context", &[OkOr]),
    ("xor", &[Maps]),
    ("zip", &[Maps, Iterator]),
];

/// Whether methods of this name have the property.
pub(crate) fn named(method: &str, fact: Fact) -> bool {
    let row = METHODS.binary_search_by_key(&method, |(name, _)| name);
    row.is_ok_and(|row| METHODS[row].1.contains(&fact))
}

/// Whether the called method has the property.
pub(crate) fn is(call: &ExprMethodCall, fact: Fact) -> bool {
    does(&call.method, fact)
}

/// Whether methods of this name have the property.
pub(crate) fn does(method: &Ident, fact: Fact) -> bool {
    named(&method.to_string(), fact)
}

/// Whether the called method has one of the properties.
pub(crate) fn is_any(call: &ExprMethodCall, facts: &[Fact]) -> bool {
    let method = call.method.to_string();
    facts.iter().any(|fact| named(&method, *fact))
}

pub(crate) fn is_one_of(methods: &[&str], call: &ExprMethodCall) -> bool {
    is_any_of(&call.method, methods)
}

/// Whether the method does not move its receiver and returns an owned value.
pub(crate) fn gives_own(call: &ExprMethodCall) -> bool {
    call.args.is_empty() && is(call, Owned)
}

/// Whether every std method of this name and number of arguments takes `&self`.
pub(crate) fn only_looks(call: &ExprMethodCall) -> bool {
    match call.args.len() {
        0 => is(call, SharedWithoutArgument),
        1 => is(call, SharedWithArgument),
        _ => false,
    }
}

/// Whether collections, texts and options have a method of this name with `&self`. Other types may have others.
pub(crate) fn seems_to_look(call: &ExprMethodCall) -> bool {
    borrows_shared(call) || is_any(call, &[Scalar, Shared])
}

/// Whether the method borrows its receiver mutably.
pub(crate) fn changes(call: &ExprMethodCall) -> bool {
    let method = call.method.to_string();
    named(&method, Mutable)
        || method.ends_with("_mut")
        || method.starts_with("get_or_insert")
        || method == "take" && call.args.is_empty()
}

/// Whether the method takes its receiver by value.
pub(crate) fn takes(call: &ExprMethodCall) -> bool {
    is_any(call, &[ByValue, Maps]) || call.method.to_string().starts_with("into_")
}

/// Whether the method returns a borrow of a part. The number of arguments excludes some of the user's methods.
pub(crate) fn returns_part(call: &ExprMethodCall) -> bool {
    is_any(call, &[Part, PartMut]) && call.args.len() == usize::from(is(call, ByKey))
}

/// Whether the method returns a shared borrow of a part of its receiver, or of its items.
pub(crate) fn borrows_shared(call: &ExprMethodCall) -> bool {
    (returns_part(call) || is(call, Items)) && shares(call)
}

/// Whether the method returns a shared borrow.
pub(crate) fn shares(call: &ExprMethodCall) -> bool {
    !(is(call, PartMut) || call.method.to_string().ends_with("_mut"))
}

/// The operand of `?` without a preceding `ok_or(…)`.
pub(crate) fn tried(expr: &ExprTry) -> &Expr {
    let mut tried = &*expr.expr;
    while let Expr::MethodCall(call) = tried
        && is(call, OkOr)
    {
        tried = &call.receiver;
    }
    tried
}

/// Whether the method combines two iterators.
pub(crate) fn joins(call: &ExprMethodCall) -> bool {
    is_one_of(&["chain", "zip"], call)
}

/// Whether the iterable borrows its collection as shared.
pub(crate) fn is_shared(iterable: &Expr) -> bool {
    match iterable {
        Expr::Reference(expr) => expr.mutability.is_none(),
        Expr::Paren(expr) => is_shared(&expr.expr),
        Expr::MethodCall(call) => {
            shares(call)
                && call.args.iter().all(is_shared)
                && (!matches!(
                    *call.receiver,
                    Expr::MethodCall(_) | Expr::Reference(_) | Expr::Array(_)
                ) || is_shared(&call.receiver))
        }
        Expr::Array(expr) => expr.elems.iter().all(is_shared),
        Expr::Tuple(expr) => expr.elems.iter().all(is_shared),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_row_in_order() {
        assert!(METHODS.is_sorted_by(|(name, _), (next, _)| name < next));
    }

    #[test]
    fn a_receiver_is_looked_at_or_changed_or_taken() {
        for (name, facts) in METHODS {
            let kinds = [
                &[SharedWithoutArgument, SharedWithArgument, Shared][..],
                &[Mutable],
                &[ByValue, Maps],
            ];
            let known = kinds.iter().filter(|kind| kind.iter().any(|fact| facts.contains(fact)));
            assert!(known.count() <= 1, "{name}");
        }
    }
}
