//! Locals that several segments rematerialize, where only a type token makes rustc infer one type for all of them:
//! number literals, functions and closures.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{
    Expr, ExprArray, ExprCall, ExprClosure, ExprIndex, ExprLit, ExprMethodCall, ExprPath,
    ExprReference, Lit, Pat, ReturnType,
};

use super::types::Segment;
use crate::ir::{Graph, LocalId, Locals};
use crate::syntax::methods::{Fact, is};
use crate::syntax::results::ends;

/// The types that the token unifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedType {
    /// The type of the value.
    Value,
    /// The parameter types of a closure with this number of parameters.
    Parameters(usize),
    /// The parameter types and the result type.
    Signature(usize),
}

/// The locals of the graph that need such a token.
pub(super) fn find(graph: &Graph, segments: &[Segment]) -> BTreeMap<LocalId, SharedType> {
    let rematerialized = segments.iter().flat_map(|segment| &segment.rematerialized).copied();
    rematerialized.filter_map(|local| Some((local, alike(&graph.locals, local)?))).collect()
}

fn alike(locals: &Locals, local: LocalId) -> Option<SharedType> {
    let local = &locals[local];
    let mut made = local.rematerialized_by().filter(|_| local.ty.is_none())?;
    while let Expr::Paren(inner) = made {
        made = &inner.expr;
    }
    let Expr::Closure(closure) = made else {
        let mut open = Open { locals, found: false };
        open.visit_expr(made);
        return (open.found && local.shared_pattern().is_none()).then_some(SharedType::Value);
    };
    let count = closure.inputs.len();
    let are_typed = closure.inputs.iter().all(|input| matches!(input, Pat::Type(_)));
    match &closure.output {
        ReturnType::Type(..) if are_typed => None,
        ReturnType::Default if gives_closure(locals, &closure.body) => {
            Some(SharedType::Parameters(count))
        }
        _ => Some(SharedType::Signature(count)),
    }
}

/// Finds an expression whose type its context decides: a number, an empty array, a function or another item.
struct Open<'a> {
    locals: &'a Locals,
    found: bool,
}

impl<'ast> Visit<'ast> for Open<'_> {
    fn visit_expr_lit(&mut self, literal: &'ast ExprLit) {
        self.found |= match &literal.lit {
            Lit::Int(number) => number.suffix().is_empty(),
            Lit::Float(number) => number.suffix().is_empty(),
            _ => false,
        };
    }

    fn visit_expr_array(&mut self, array: &'ast ExprArray) {
        self.found |= array.elems.is_empty();
        visit::visit_expr_array(self, array);
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let ident = path.path.get_ident();
        self.found |= ident.and_then(|ident| self.locals.find(ident)).is_none();
    }

    // A mutable borrow in one segment may be used as a shared one in another.
    fn visit_expr_reference(&mut self, borrow: &'ast ExprReference) {
        if borrow.mutability.is_none() {
            self.visit_expr(&borrow.expr);
        }
    }

    // The type of the indexed value decides the type of the index.
    fn visit_expr_index(&mut self, index: &'ast ExprIndex) {
        self.visit_expr(&index.expr);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        call.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.visit_expr(&call.receiver);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_pat(&mut self, _: &'ast Pat) {}
}

/// Whether the value of the expression may contain a closure, as far as the source shows.
fn gives_closure(locals: &Locals, expr: &Expr) -> bool {
    let gives = |expr: &Expr| gives_closure(locals, expr);
    match expr {
        Expr::Closure(_) => true,
        Expr::Path(path) => {
            let local = locals.of_path(&path.path);
            let made = local.and_then(|local| locals[local].rematerialized_by());
            made.is_some_and(gives)
        }
        Expr::Paren(inner) => gives(&inner.expr),
        Expr::Reference(inner) => gives(&inner.expr),
        Expr::Block(_) | Expr::If(_) | Expr::Match(_) => ends(expr).into_iter().any(gives),
        Expr::MethodCall(call) => {
            is(call, Fact::Iterator) && (gives(&call.receiver) || call.args.iter().any(gives))
        }
        Expr::Call(call) => call.args.iter().any(gives),
        Expr::Tuple(tuple) => tuple.elems.iter().any(gives),
        Expr::Array(array) => array.elems.iter().any(gives),
        Expr::Struct(literal) => literal.fields.iter().any(|field| gives(&field.expr)),
        _ => false,
    }
}
