//! Parameters that are hash maps or sets: lookups are allowed, iteration is not.
//!
//! Hash maps created in the body are refused where they are created, so only parameters remain.

use syn::{Expr, ExprMethodCall, GenericArgument, PathArguments, Type};

use super::kinds::{Kind, is_hashed};
use super::locals::{LocalTypes, dereferenced};
use super::names::Names;
use crate::syntax::names::is_any_of;

const ORDERED: [&str; 3] = ["BTreeMap", "BTreeSet", "BinaryHeap"];

/// Methods that iterate over a map or set.
const IN_ORDER: [&str; 15] = [
    "iter",
    "iter_mut",
    "into_iter",
    "keys",
    "values",
    "values_mut",
    "into_keys",
    "into_values",
    "drain",
    "retain",
    "extract_if",
    "difference",
    "intersection",
    "symmetric_difference",
    "union",
];

impl LocalTypes {
    /// The hash map or set that a `for` loop over `expr` iterates over.
    pub(super) fn looped<'a>(&self, expr: &'a Expr) -> Option<&'a Expr> {
        match dereferenced(expr) {
            Expr::MethodCall(call) if call.method == "clone" => self.looped(&call.receiver),
            local => (self.of_local(local) == Kind::Hashed).then_some(local),
        }
    }

    /// The hash map or set that a method call iterates over.
    pub(super) fn gone_through<'a>(&self, call: &'a ExprMethodCall) -> Option<&'a Expr> {
        let in_order = is_any_of(&call.method, &IN_ORDER);
        self.looped(&call.receiver).filter(|_| in_order)
    }
}

/// Whether a call collects the items in an order of their own: `.collect::<BTreeMap<…>>()`.
pub(super) fn collects_in_order(call: &ExprMethodCall) -> bool {
    let Some(turbofish) = &call.turbofish else { return false };
    call.method == "collect"
        && matches!(turbofish.args.first(), Some(GenericArgument::Type(ty)) if is_ordered(ty))
}

/// Whether a type is a map or set with an order of its own.
pub(super) fn is_ordered(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| ORDERED.contains(&name.as_str()))
}

/// The hash map or set that a type is or contains, as in `Option<HashMap<…>>`.
pub(super) fn hashed<'a>(ty: &'a Type, names: &Names) -> Option<&'a Type> {
    if is_hashed(ty, names) {
        return Some(ty);
    }
    if let Type::Tuple(tuple) = ty {
        return tuple.elems.iter().find_map(|ty| hashed(ty, names));
    }
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => hashed(ty, names),
        _ => None,
    })
}

fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Group(group) => last_name(&group.elem),
        Type::Paren(paren) => last_name(&paren.elem),
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}
