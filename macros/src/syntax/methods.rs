//! Methods of the standard library, by name: how each uses its receiver, and what it returns.
//!
//! One table has a row for each name, so all properties of a method are in one place.
//!
//! ```text
//! order.lines.first()       first: Part                      lends a part of `order.lines`
//! lines.iter().max()        iter: Items, max: Finds          finds one of the items that it lends
//! list.push(line)           push: Changes                    changes `list` where it is
//! found.unwrap_or(line)     unwrap_or: Takes, Defaults       takes `found`
//! ```

use syn::{Expr, ExprMethodCall, ExprTry, Ident};

use super::names::is_any_of;
use Fact::*;

/// A property of all methods of one name in the standard library. A user's type may have a method of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    // Properties of the receiver.
    /// Borrows it as shared, if called without arguments.
    LooksAlone,
    /// Borrows it as shared, if called with one argument.
    LooksTold,
    /// Borrows it and the arguments as shared, and returns an owned value. These are methods of lists, maps, ranges and
    /// texts.
    Looks,
    /// Borrows it mutably.
    Changes,
    /// Takes it by value.
    Takes,
    /// Takes it by value and computes the result from it, as methods of `Option`, `Result` and `bool` do.
    Maps,

    // Properties of the result.
    /// Owned, if called without arguments; the receiver is not moved.
    Own,
    /// A number or `bool`.
    Answers,
    /// A borrow of a part of the receiver, or an `Option` of one.
    Part,
    /// As `Part`, and mutable.
    PartMut,
    /// As `Part`, and never `None`.
    Always,
    /// As `Part` or `PartMut`, for a lookup with one key.
    Told,
    /// A borrow of the whole receiver as a collection.
    Whole,
    /// An iterator over items or parts of the receiver.
    Items,
    /// One item of an iterator, selected by its position.
    Picks,
    /// One item of an iterator, selected by its value, so that it may be another one after a change.
    Finds,
    /// An iterator over the same items, or some of them, by position.
    Adapts,
    /// The items of an iterator, or the content of an `Option`, filtered by value.
    Sifts,
    /// A lazy iterator.
    Iterator,
    /// The content of an `Option` or `Result`.
    Opens,
    /// The content of an `Option` or `Result`, or a default.
    Defaults,
    /// A `Result` with the error that `?` returns for a missing value.
    Explains,
    /// A mutable borrow of the value in a map's entry, which the call may insert.
    Fills,
}

/// By name.
#[rustfmt::skip]
const METHODS: &[(&str, &[Fact])] = &[
    ("all", &[Answers]),
    ("and_then", &[Maps]),
    ("any", &[Answers]),
    ("append", &[Changes]),
    ("as_bytes", &[LooksAlone, Part, Always]),
    ("as_deref", &[Part, Always]),
    ("as_deref_mut", &[PartMut]),
    ("as_mut", &[PartMut]),
    ("as_mut_slice", &[PartMut]),
    ("as_os_str", &[Part, Always]),
    ("as_path", &[Part, Always]),
    ("as_ref", &[Part, Always]),
    ("as_slice", &[LooksAlone, Part, Always, Whole]),
    ("as_str", &[LooksAlone, Part, Always, Whole]),
    ("back", &[Part]),
    ("back_mut", &[PartMut]),
    ("by_ref", &[Iterator]),
    ("chain", &[Iterator]),
    ("char_indices", &[LooksAlone]),
    ("chars", &[LooksAlone]),
    ("chunk_by", &[Items]),
    ("chunks", &[Items]),
    ("chunks_exact", &[Items]),
    ("chunks_exact_mut", &[Items]),
    ("chunks_mut", &[Items]),
    ("clear", &[Changes]),
    ("clone", &[LooksAlone, Own]),
    ("cloned", &[Iterator]),
    ("concat", &[Looks]),
    ("contains", &[LooksTold, Looks]),
    ("contains_key", &[LooksTold, Looks]),
    ("context", &[Explains]),
    ("copied", &[Iterator]),
    ("count", &[Answers]),
    ("cycle", &[Adapts, Iterator]),
    ("dedup", &[Changes]),
    ("difference", &[Items]),
    ("ends_with", &[LooksTold, Looks]),
    ("enumerate", &[Adapts, Iterator]),
    ("err", &[Maps]),
    ("expect", &[Takes, Opens]),
    ("expect_err", &[Takes]),
    ("extend", &[Changes]),
    ("file_stem", &[Part]),
    ("fill", &[Changes]),
    ("filter", &[Maps, Sifts, Iterator]),
    ("filter_map", &[Iterator]),
    ("find", &[Finds]),
    ("first", &[Part]),
    ("first_key_value", &[Part]),
    ("first_mut", &[PartMut]),
    ("flat_map", &[Iterator]),
    ("flatten", &[Maps, Adapts, Iterator]),
    ("front", &[Part]),
    ("front_mut", &[PartMut]),
    ("fuse", &[Iterator]),
    ("get", &[Part, Told]),
    ("get_key_value", &[Part, Told]),
    ("get_mut", &[PartMut, Told]),
    ("insert", &[Changes]),
    ("inspect", &[Iterator]),
    ("intersection", &[Items]),
    ("into_iter", &[Iterator]),
    ("is_empty", &[LooksAlone, Own, Answers]),
    ("is_err", &[Looks, Answers]),
    ("is_err_and", &[Answers]),
    ("is_none", &[Looks, Answers]),
    ("is_none_or", &[Answers]),
    ("is_ok", &[Looks, Answers]),
    ("is_ok_and", &[Answers]),
    ("is_some", &[Looks, Answers]),
    ("is_some_and", &[Answers]),
    ("iter", &[Items]),
    ("iter_mut", &[Items]),
    ("join", &[Looks]),
    ("keys", &[Items]),
    ("last", &[Part, Picks]),
    ("last_key_value", &[Part]),
    ("last_mut", &[PartMut]),
    ("len", &[LooksAlone, Own, Answers]),
    ("lines", &[LooksAlone, Items]),
    ("map", &[Maps, Iterator]),
    ("map_err", &[Maps, Explains]),
    ("map_or", &[Takes]),
    ("map_or_else", &[Takes]),
    ("map_while", &[Iterator]),
    ("match_indices", &[Items]),
    ("max", &[Finds]),
    ("max_by", &[Finds]),
    ("max_by_key", &[Finds]),
    ("min", &[Finds]),
    ("min_by", &[Finds]),
    ("min_by_key", &[Finds]),
    ("next", &[Changes, Picks]),
    ("next_back", &[Changes, Picks]),
    ("nth", &[Picks]),
    ("nth_back", &[Picks]),
    ("ok", &[Maps]),
    ("ok_or", &[Maps, Explains]),
    ("ok_or_else", &[Takes, Explains]),
    ("or", &[Maps]),
    ("or_default", &[Fills]),
    ("or_else", &[Maps]),
    ("or_insert", &[Fills]),
    ("or_insert_with", &[Fills]),
    ("peekable", &[Adapts, Iterator]),
    ("pop", &[Changes, Own]),
    ("pop_back", &[Changes]),
    ("pop_first", &[Changes]),
    ("pop_front", &[Changes]),
    ("pop_last", &[Changes]),
    ("push", &[Changes]),
    ("push_back", &[Changes]),
    ("push_front", &[Changes]),
    ("push_str", &[Changes]),
    ("range", &[Items]),
    ("range_mut", &[Items]),
    ("rchunks", &[Items]),
    ("rchunks_mut", &[Items]),
    ("repeat", &[Looks]),
    ("retain", &[Changes]),
    ("rev", &[Adapts, Iterator]),
    ("reverse", &[Changes]),
    ("rfind", &[Finds]),
    ("rsplit", &[Items]),
    ("rsplit_once", &[LooksTold, Part, Told]),
    ("rsplit_terminator", &[Items]),
    ("rsplitn", &[Items]),
    ("scan", &[Iterator]),
    ("skip", &[Adapts, Iterator]),
    ("skip_while", &[Sifts, Iterator]),
    ("sort", &[Changes]),
    ("split", &[LooksTold, Items]),
    ("split_ascii_whitespace", &[Items]),
    ("split_at", &[Part, Always, Told]),
    ("split_at_mut", &[PartMut, Told]),
    ("split_first", &[Part]),
    ("split_first_mut", &[PartMut]),
    ("split_inclusive", &[Items]),
    ("split_last", &[Part]),
    ("split_last_mut", &[PartMut]),
    ("split_once", &[LooksTold, Part, Told]),
    ("split_terminator", &[Items]),
    ("split_whitespace", &[LooksAlone, Items]),
    ("splitn", &[Items]),
    ("starts_with", &[LooksTold, Looks]),
    ("step_by", &[Adapts, Iterator]),
    ("strip_prefix", &[LooksTold, Part, Told]),
    ("strip_suffix", &[LooksTold, Part, Told]),
    ("symmetric_difference", &[Items]),
    ("take", &[Adapts, Iterator]),
    ("take_while", &[Sifts, Iterator]),
    ("then", &[Maps]),
    ("then_some", &[Maps]),
    ("to_ascii_lowercase", &[Looks]),
    ("to_ascii_uppercase", &[Looks]),
    ("to_lowercase", &[LooksAlone, Looks]),
    ("to_owned", &[LooksAlone, Own]),
    ("to_str", &[Part]),
    ("to_string", &[LooksAlone, Own]),
    ("to_uppercase", &[LooksAlone, Looks]),
    ("to_vec", &[LooksAlone]),
    ("trim", &[LooksAlone, Part, Always]),
    ("trim_end", &[LooksAlone, Part, Always]),
    ("trim_end_matches", &[Part, Always, Told]),
    ("trim_matches", &[Part, Always, Told]),
    ("trim_start", &[LooksAlone, Part, Always]),
    ("trim_start_matches", &[Part, Always, Told]),
    ("truncate", &[Changes]),
    ("union", &[Items]),
    ("unwrap", &[Takes, Opens]),
    ("unwrap_err", &[Takes]),
    ("unwrap_or", &[Takes, Defaults]),
    ("unwrap_or_default", &[Takes, Defaults]),
    ("unwrap_or_else", &[Takes]),
    ("values", &[Items]),
    ("values_mut", &[Items]),
    ("windows", &[Items]),
    ("with_context", &[Explains]),
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
    call.args.is_empty() && is(call, Own)
}

/// Whether every std method of this name and number of arguments takes `&self`.
pub(crate) fn only_looks(call: &ExprMethodCall) -> bool {
    match call.args.len() {
        0 => is(call, LooksAlone),
        1 => is(call, LooksTold),
        _ => false,
    }
}

/// Whether collections, texts and options have a method of this name with `&self`. Other types may have others.
pub(crate) fn seems_to_look(call: &ExprMethodCall) -> bool {
    lends_shared(call) || is_any(call, &[Answers, Looks])
}

/// Whether the method borrows its receiver mutably.
pub(crate) fn changes(call: &ExprMethodCall) -> bool {
    let method = call.method.to_string();
    named(&method, Changes)
        || method.ends_with("_mut")
        || method.starts_with("get_or_insert")
        || method == "take" && call.args.is_empty()
}

/// Whether the method takes its receiver by value.
pub(crate) fn takes(call: &ExprMethodCall) -> bool {
    is_any(call, &[Takes, Maps]) || call.method.to_string().starts_with("into_")
}

/// Whether the method returns a borrow of a part. The number of arguments excludes some of the user's methods.
pub(crate) fn gives_part(call: &ExprMethodCall) -> bool {
    is_any(call, &[Part, PartMut]) && call.args.len() == usize::from(is(call, Told))
}

/// Whether the method returns a shared borrow of a part of its receiver, or of its items.
pub(crate) fn lends_shared(call: &ExprMethodCall) -> bool {
    (gives_part(call) || is(call, Items)) && shares(call)
}

/// Whether the method returns a shared borrow.
pub(crate) fn shares(call: &ExprMethodCall) -> bool {
    !(is(call, PartMut) || call.method.to_string().ends_with("_mut"))
}

/// The operand of `?` without a preceding `ok_or(…)`.
pub(crate) fn tried(expr: &ExprTry) -> &Expr {
    let mut tried = &*expr.expr;
    while let Expr::MethodCall(call) = tried
        && is(call, Explains)
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
            let kinds = [&[LooksAlone, LooksTold, Looks][..], &[Changes], &[Takes, Maps]];
            let known = kinds.iter().filter(|kind| kind.iter().any(|fact| facts.contains(fact)));
            assert!(known.count() <= 1, "{name}");
        }
    }
}
