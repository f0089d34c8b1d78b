//! Types of parameters and variables, as far as the source shows them.

use syn::visit::{self, Visit};
use syn::{Expr, FnArg, Pat, PatIdent, Signature, Type, UnOp};

use super::kinds::Kind;
use super::names::Names;

/// The names in scope.
#[derive(Debug, Default)]
pub(super) struct LocalTypes {
    /// Later entries shadow earlier ones of the same name.
    names: Vec<(String, Kind)>,
}

impl LocalTypes {
    /// The parameters.
    pub(super) fn of(signature: &Signature, names: &Names) -> Self {
        let mut locals = Self::default();
        for input in &signature.inputs {
            let FnArg::Typed(input) = input else { continue };
            locals.bind_typed(&input.pat, &input.ty, names);
        }
        locals
    }

    /// Binds the names of a pattern for a value of a type.
    fn bind_typed(&mut self, pat: &Pat, ty: &Type, names: &Names) {
        match (pat, ty) {
            (Pat::Tuple(pat), Type::Tuple(ty)) if pat.elems.len() == ty.elems.len() => {
                for (pat, ty) in pat.elems.iter().zip(&ty.elems) {
                    self.bind_typed(pat, ty, names);
                }
            }
            (Pat::Ident(pat), ty) if pat.subpat.is_none() => {
                self.bind(pat.ident.to_string(), Kind::of(ty, names));
            }
            (pat, _) => bound(pat).into_iter().for_each(|name| self.bind(name, Kind::Other)),
        }
    }

    /// The number of bindings, for [`leave`](Self::leave).
    pub(super) fn enter(&self) -> usize {
        self.names.len()
    }

    /// Removes the bindings added since `enter` returned `entered`.
    pub(super) fn leave(&mut self, entered: usize) {
        self.names.truncate(entered);
    }

    /// Whether the body binds `name`.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Adds a binding of `name`.
    pub(super) fn bind(&mut self, name: String, kind: Kind) {
        self.names.push((name, kind));
    }

    /// The kind of a variable, behind references.
    pub(super) fn of_local(&self, expr: &Expr) -> Kind {
        let Expr::Path(path) = dereferenced(expr) else { return Kind::Other };
        let Some(name) = path.path.get_ident() else { return Kind::Other };
        let name = name.to_string();
        let known = self.names.iter().rev().find(|(known, _)| *known == name);
        known.map_or(Kind::Other, |(_, kind)| *kind)
    }
}

/// The names that a pattern binds.
fn bound(pattern: &Pat) -> Vec<String> {
    struct Bound(Vec<String>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            self.0.push(pattern.ident.to_string());
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut bound = Bound(Vec::new());
    bound.visit_pat(pattern);
    bound.0
}

/// The expression behind references and parentheses.
pub(super) fn dereferenced(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Reference(reference) => &reference.expr,
            Expr::Paren(paren) => &paren.expr,
            Expr::Group(group) => &group.expr,
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => &unary.expr,
            other => return other,
        }
    }
}
