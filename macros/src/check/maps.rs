//! Parameters that are hash maps or sets: they may be looked up in, but not gone through.
//!
//! Hash maps made in the body are refused where they are made, so parameters are the only ones that
//! a body can have.

use syn::{Expr, ExprMethodCall, FnArg, GenericArgument, Pat, PathArguments, Signature, Type};

const HASHED: [&str; 2] = ["HashMap", "HashSet"];
const ORDERED: [&str; 3] = ["BTreeMap", "BTreeSet", "BinaryHeap"];

/// The methods that go through a map or set in its own order.
const IN_ORDER: [&str; 12] = [
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
];

/// The names of those in scope.
#[derive(Debug, Default)]
pub(super) struct HashedLocals {
    /// A later entry hides an earlier one of the same name.
    names: Vec<(String, bool)>,
}

impl HashedLocals {
    /// Those among the parameters.
    pub(super) fn of(signature: &Signature) -> Self {
        let mut locals = Self::default();
        for input in &signature.inputs {
            if let FnArg::Typed(input) = input
                && let Pat::Ident(pattern) = &*input.pat
            {
                locals.names.push((pattern.ident.to_string(), is_hashed(&input.ty)));
            }
        }
        locals
    }

    /// What [`leave`](Self::leave) goes back to.
    pub(super) fn enter(&self) -> usize {
        self.names.len()
    }

    /// Forgets what was bound since.
    pub(super) fn leave(&mut self, entered: usize) {
        self.names.truncate(entered);
    }

    /// Whether the body binds `name`.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Notes that a pattern binds `name` to something else.
    pub(super) fn shadow(&mut self, name: String) {
        self.names.push((name, false));
    }

    /// The map or set that a `for` loop over `expr` goes through.
    pub(super) fn looped<'a>(&self, expr: &'a Expr) -> Option<&'a Expr> {
        let local = dereferenced(expr);
        self.contains(local).then_some(local)
    }

    /// The map or set that a method call goes through.
    pub(super) fn gone_through<'a>(&self, call: &'a ExprMethodCall) -> Option<&'a Expr> {
        let local = dereferenced(&call.receiver);
        let in_order = IN_ORDER.iter().any(|method| call.method == method);
        (in_order && self.contains(local)).then_some(local)
    }

    fn contains(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let Some(name) = path.path.get_ident() else { return false };
        self.names.iter().rev().find(|(known, _)| name == known).is_some_and(|(_, hashed)| *hashed)
    }
}

/// Whether a call collects what it goes through in an order of its own: `.collect::<BTreeMap<…>>()`.
pub(super) fn collects_in_order(call: &ExprMethodCall) -> bool {
    let Some(turbofish) = &call.turbofish else { return false };
    call.method == "collect"
        && matches!(turbofish.args.first(), Some(GenericArgument::Type(ty)) if is_ordered(ty))
}

/// Whether a type is a map or set with an order of its own.
pub(super) fn is_ordered(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| ORDERED.contains(&name.as_str()))
}

/// The hash map or set that a type is or contains as an argument, as in `Option<HashMap<…>>`.
pub(super) fn hashed(ty: &Type) -> Option<&Type> {
    if is_hashed(ty) {
        return Some(ty);
    }
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => hashed(ty),
        _ => None,
    })
}

/// Whether a type is a hash map or set, or a reference to one.
fn is_hashed(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_hashed(&reference.elem),
        _ => last_name(ty).is_some_and(|name| HASHED.contains(&name.as_str())),
    }
}

fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Group(group) => last_name(&group.elem),
        Type::Paren(paren) => last_name(&paren.elem),
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

fn dereferenced(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Reference(reference) => &reference.expr,
            Expr::Paren(paren) => &paren.expr,
            Expr::Group(group) => &group.expr,
            other => return other,
        }
    }
}
