//! Locals that are computed again in several segments, if nothing makes rustc infer the same type in all of them:
//! number literals, functions and closures.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{
    Expr, ExprArray, ExprCall, ExprClosure, ExprIndex, ExprLit, ExprMethodCall, ExprPath,
    ExprReference, Lit, Pat, ReturnType,
};

use super::Segment;
use crate::ir::{Graph, LocalId, Locals};
use crate::syntax::methods::{Fact, is};
use crate::syntax::results::ends;

/// How rustc is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alike {
    /// They are of one type.
    Value,
    /// Closures with so many parameters, which are of the same types.
    Takes(usize),
    /// So is what they give.
    Calls(usize),
}

/// Those of the graph.
pub(super) fn find(graph: &Graph, segments: &[Segment]) -> BTreeMap<LocalId, Alike> {
    let remade = segments.iter().flat_map(|segment| &segment.remade).copied();
    remade.filter_map(|local| Some((local, alike(&graph.locals, local)?))).collect()
}

fn alike(locals: &Locals, local: LocalId) -> Option<Alike> {
    let local = &locals[local];
    let mut made = local.rematerialized_by().filter(|_| local.ty.is_none())?;
    while let Expr::Paren(inner) = made {
        made = &inner.expr;
    }
    let Expr::Closure(closure) = made else {
        let mut open = Open { locals, found: false };
        open.visit_expr(made);
        return (open.found && local.shared_pattern().is_none()).then_some(Alike::Value);
    };
    let count = closure.inputs.len();
    let are_typed = closure.inputs.iter().all(|input| matches!(input, Pat::Type(_)));
    match &closure.output {
        ReturnType::Type(..) if are_typed => None,
        ReturnType::Default if gives_closure(locals, &closure.body) => Some(Alike::Takes(count)),
        _ => Some(Alike::Calls(count)),
    }
}

/// Looks for what may be of several types: a number, an empty list, a function or another item.
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

    // What is to be changed may only be looked at elsewhere.
    fn visit_expr_reference(&mut self, borrow: &'ast ExprReference) {
        if borrow.mutability.is_none() {
            self.visit_expr(&borrow.expr);
        }
    }

    // What it is asked for is of a type that what is asked knows.
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

/// Whether there may be a closure in the value of the expression, as far as it shows.
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
