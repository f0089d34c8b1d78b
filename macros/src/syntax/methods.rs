//! Methods of the standard library, known by their names: what each does with its receiver, and what it gives.

use syn::{Expr, ExprMethodCall, ExprTry};

use super::names::is_any_of;

pub(crate) fn is_one_of(methods: &[&str], call: &ExprMethodCall) -> bool {
    is_any_of(&call.method, methods)
}

/// Whether the method leaves what it is called on where it is, and its value is its own. It is so by the
/// traits and types of the standard library that have these methods.
pub(crate) fn gives_own(call: &ExprMethodCall) -> bool {
    call.args.is_empty()
        && is_one_of(&["clone", "is_empty", "len", "pop", "to_owned", "to_string"], call)
}

/// Whether the method only looks at what it is called on and at what it is told, and its value is its own. It
/// is so by the lists, maps, ranges and texts of the standard library.
pub(crate) fn only_looks(call: &ExprMethodCall) -> bool {
    const METHODS: [&str; 15] = [
        "concat",
        "contains",
        "contains_key",
        "ends_with",
        "is_err",
        "is_none",
        "is_ok",
        "is_some",
        "join",
        "repeat",
        "starts_with",
        "to_ascii_lowercase",
        "to_ascii_uppercase",
        "to_lowercase",
        "to_uppercase",
    ];
    is_one_of(&METHODS, call)
}

/// Whether the method answers a question with a number or a truth value. It is so by the standard library.
pub(crate) fn answers(call: &ExprMethodCall) -> bool {
    const METHODS: [&str; 13] = [
        "all",
        "any",
        "count",
        "is_empty",
        "is_err",
        "is_err_and",
        "is_none",
        "is_none_or",
        "is_ok",
        "is_ok_and",
        "is_some",
        "is_some_and",
        "len",
    ];
    is_one_of(&METHODS, call)
}

/// Whether the method takes what it is called on and makes its value of that. It is so by the `Option`,
/// the `Result` and the `bool` of the standard library.
pub(crate) fn takes_receiver(call: &ExprMethodCall) -> bool {
    const METHODS: [&str; 14] = [
        "and_then",
        "err",
        "filter",
        "flatten",
        "map",
        "map_err",
        "ok",
        "ok_or",
        "or",
        "or_else",
        "then",
        "then_some",
        "xor",
        "zip",
    ];
    is_one_of(&METHODS, call)
}

/// Whether the method takes what it is called on, by those of the standard library: none has this name and
/// does not.
pub(crate) fn takes(call: &ExprMethodCall) -> bool {
    const TAKING: [&str; 10] = [
        "expect",
        "expect_err",
        "map_or",
        "map_or_else",
        "ok_or_else",
        "unwrap",
        "unwrap_err",
        "unwrap_or",
        "unwrap_or_default",
        "unwrap_or_else",
    ];
    let method = call.method.to_string();
    TAKING.contains(&method.as_str()) || method.starts_with("into_") || takes_receiver(call)
}

/// Methods that lend the items of what they are called on, or parts of it.
pub(crate) const ITEMS: [&str; 30] = [
    "chunk_by",
    "chunks",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks_mut",
    "difference",
    "intersection",
    "iter",
    "iter_mut",
    "keys",
    "lines",
    "match_indices",
    "range",
    "range_mut",
    "rchunks",
    "rchunks_mut",
    "rsplit",
    "rsplit_terminator",
    "rsplitn",
    "split",
    "split_ascii_whitespace",
    "split_inclusive",
    "split_terminator",
    "split_whitespace",
    "splitn",
    "symmetric_difference",
    "union",
    "values",
    "values_mut",
    "windows",
];

/// Methods that lend all of what they are called on as something that has items.
pub(crate) const WHOLE: [&str; 2] = ["as_slice", "as_str"];

/// Methods that give the items of an iterator, or some of them, in an order of their own.
pub(crate) const ADAPTING: [&str; 8] =
    ["cycle", "enumerate", "flatten", "peekable", "rev", "skip", "step_by", "take"];

/// Methods that pick one item of an iterator. Those that look at the items may find another one once it
/// has been changed.
pub(crate) const PICKING: [&str; 5] = ["last", "next", "next_back", "nth", "nth_back"];

pub(crate) const LOOKING: [&str; 8] =
    ["find", "max", "max_by", "max_by_key", "min", "min_by", "min_by_key", "rfind"];

/// Methods that leave out items of an iterator, or what is in an `Option`, by a look at it.
pub(crate) const SIFTING: [&str; 3] = ["filter", "skip_while", "take_while"];

/// Methods that lend a part of what they are called on.
pub(crate) const PARTS: [&str; 30] = [
    "as_bytes",
    "as_deref",
    "as_os_str",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "back",
    "file_stem",
    "first",
    "first_key_value",
    "front",
    "get",
    "get_key_value",
    "last",
    "last_key_value",
    "rsplit_once",
    "split_at",
    "split_first",
    "split_last",
    "split_once",
    "strip_prefix",
    "strip_suffix",
    "to_str",
    "trim",
    "trim_end",
    "trim_end_matches",
    "trim_matches",
    "trim_start",
    "trim_start_matches",
];

/// As `PARTS`, to be changed.
pub(crate) const PARTS_MUT: [&str; 11] = [
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "back_mut",
    "first_mut",
    "front_mut",
    "get_mut",
    "last_mut",
    "split_at_mut",
    "split_first_mut",
    "split_last_mut",
];

/// Those of [`PARTS`] that find something whatever is there.
pub(crate) const LENDING_ALWAYS: [&str; 14] = [
    "as_bytes",
    "as_deref",
    "as_os_str",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "split_at",
    "trim",
    "trim_end",
    "trim_end_matches",
    "trim_matches",
    "trim_start",
    "trim_start_matches",
];

/// Methods that give what is in an `Option` or `Result`.
pub(crate) const OPENING: [&str; 2] = ["expect", "unwrap"];

/// Methods that give something else where there is nothing.
pub(crate) const DEFAULTING: [&str; 2] = ["unwrap_or", "unwrap_or_default"];

/// Methods that give the error that a `?` returns with where there is nothing.
pub(crate) const EXPLAINING: [&str; 5] =
    ["context", "map_err", "ok_or", "ok_or_else", "with_context"];

/// Those of [`PARTS`] and [`PARTS_MUT`] that are told what to look for, which is one thing.
pub(crate) const TOLD: [&str; 12] = [
    "get",
    "get_key_value",
    "get_mut",
    "rsplit_once",
    "split_at",
    "split_at_mut",
    "split_once",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_matches",
    "trim_start_matches",
];

/// Whether a method lends a part, and not one of the user's by that name with other arguments.
pub(crate) fn gives_part(call: &ExprMethodCall) -> bool {
    (is_one_of(&PARTS, call) || is_one_of(&PARTS_MUT, call))
        && call.args.len() == usize::from(is_one_of(&TOLD, call))
}

/// Whether a method lends a part or items of what it is called on, and none to be changed.
pub(crate) fn lends_shared(call: &ExprMethodCall) -> bool {
    (gives_part(call) || is_one_of(&ITEMS, call)) && shares(call)
}

/// Whether a method only looks at what it lends.
pub(crate) fn shares(call: &ExprMethodCall) -> bool {
    !(is_one_of(&PARTS_MUT, call) || call.method.to_string().ends_with("_mut"))
}

/// What a `?` opens, without the error that it returns with.
pub(crate) fn tried(expr: &ExprTry) -> &Expr {
    let mut tried = &*expr.expr;
    while let Expr::MethodCall(call) = tried
        && is_one_of(&EXPLAINING, call)
    {
        tried = &call.receiver;
    }
    tried
}

/// Methods that give another iterator, and go through the items only as that is gone through.
pub(crate) const ADAPTERS: [&str; 24] = [
    "by_ref",
    "chain",
    "cloned",
    "copied",
    "cycle",
    "enumerate",
    "filter",
    "filter_map",
    "flat_map",
    "flatten",
    "fuse",
    "inspect",
    "into_iter",
    "map",
    "map_while",
    "peekable",
    "rev",
    "scan",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
    "zip",
];

/// Whether the method gives the items of two iterators.
pub(crate) fn joins(call: &ExprMethodCall) -> bool {
    is_one_of(&["chain", "zip"], call)
}

/// Whether a walk lends what others may look at meanwhile.
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

/// Methods that lend what is in an entry of a map, and may put it there.
pub(crate) const FILLING: [&str; 3] = ["or_default", "or_insert", "or_insert_with"];
