//! Temporaries whose lifetime a `let` extends to the end of its block: `let order = &load(n).await;`, `let (ref name,
//! n) = make();`.
//!
//! ```text
//! let lines = &mut make().lines;   →   let mut value = make(); let lines = &mut value.lines;
//! ```
//!
//! The temporary becomes a local, so that it is saved, and the borrow is rematerialized like a borrow of any other
//! local.

use syn::spanned::Spanned;
use syn::{Expr, ExprUnary, Pat, PatType, Stmt, Type, TypeSlice, UnOp};

use crate::ir::locals::local_of;
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::syntax::binding_modes::binds_by_ref;
use crate::syntax::build::{ident_pat, let_stmt};
use crate::syntax::calls::only_wraps;
use crate::syntax::methods::{Fact, is, tried};
use crate::syntax::patterns::{bindings, has_ref, split_type};
use crate::syntax::{macros, suspend};
use crate::values::shapes;

impl Lower<'_> {
    /// Declares a local for each temporary that the statement borrows, if a binding of it is named after an await.
    pub(crate) fn bind_temporaries(&mut self, local: &mut syn::Local) {
        let Some(mut init) = local.init.take() else { return };
        let ty = match split_type(&local.pat).1 {
            Some(ty) if has_ref(&local.pat) => Some(ty.clone()),
            ty => ty.and_then(|ty| type_of_array(ty, &init.expr)),
        };
        let syn::LocalInit { expr, diverge, .. } = &mut init;
        let always_matches = diverge.is_none();
        let lenders = self.borrows().lenders(expr, &[&local.pat], always_matches);
        // This check comes last because it scans all following statements.
        if lenders.is_empty() || !self.continuation.holds(local) {
            local.init = Some(init);
            return;
        }
        for (value, mutable) in lenders {
            let attrs =
                if suspend::expr(value) { std::mem::take(&mut local.attrs) } else { Vec::new() };
            let id = self.temporary(value);
            let shape = shapes::of_value(&self.locals, &self.shapes, value);
            self.locals[id].saving.kind = shape.kind(mutable);
            (self.locals[id].mutable, self.locals[id].is_temporary) = (mutable, false);
            let path = self.locals.path(id);
            if let Some((_, otherwise)) = diverge
                && let Expr::Block(otherwise) = &mut **otherwise
            {
                // rustc drops the temporary before the `else` block.
                otherwise.block.stmts.insert(0, syn::parse_quote!(let _ = { #path };));
            }
            let value = std::mem::replace(value, path);
            let mut pat = ident_pat(self.locals[id].ident.clone(), mutable);
            if let Some(ty) = ty.clone() {
                let (attrs, colon_token) = (Vec::new(), Default::default());
                pat =
                    Pat::Type(PatType { attrs, pat: Box::new(pat), colon_token, ty: Box::new(ty) });
            }
            let Stmt::Local(mut lender) = let_stmt(pat, value) else { continue };
            lender.attrs = attrs;
            self.save_keys_of_initializer(&mut lender);
            self.local(lender);
        }
        local.init = Some(init);
    }
}

impl Borrows<'_> {
    /// The temporaries that an expression creates and that the patterns borrow, and whether mutably.
    pub(crate) fn lenders<'e>(
        &self,
        expr: &'e mut Expr,
        pats: &[&Pat],
        always_matches: bool,
    ) -> Vec<(&'e mut Expr, bool)> {
        // If a pattern also moves parts out of the value, its `ref` bindings are rematerialized field by field.
        let by_ref = pats.iter().any(|pat| has_ref(pat))
            && (always_matches || pats.iter().all(|pat| binds_by_ref(pat)));
        let mut lenders = Vec::new();
        let binds = !pats.iter().all(|pat| bindings(pat).is_empty());
        if !binds || self.borrows_by_lookup(expr) || !temporaries_in(expr, by_ref, &mut lenders) {
            return Vec::new();
        }
        // A promoted constant lives as long as the program.
        let lasts = |value: &Expr| self.is_constant(value) || is_literal(value);
        lenders.retain(|(value, mutable)| *mutable || !lasts(value));
        lenders
    }

    /// Whether the borrow comes from lookups, which are evaluated again.
    pub(crate) fn borrows_by_lookup(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(expr) => self.borrows_by_lookup(&expr.expr),
            Expr::Reference(expr) => {
                self.is_lookup(&expr.expr) || self.finds_mutable_item(&expr.expr)
            }
            chain => self.is_lookup(chain),
        }
    }

    /// Whether `?` or `unwrap` is applied to a local that is not rematerialized: it then returns a value and not a
    /// borrow.
    pub(crate) fn is_taken_out_of(&self, opened: &Expr) -> bool {
        local_of(self.locals, opened).is_some_and(|local| !self.locals[local].is_rematerialized())
    }

    /// Whether a chain ends in a search for an item that can be changed, or in a part of that item. The position of the
    /// item is saved.
    pub(crate) fn finds_mutable_item(&self, chain: &Expr) -> bool {
        match chain {
            Expr::Paren(expr) => self.finds_mutable_item(&expr.expr),
            Expr::Field(expr) => self.finds_mutable_item(&expr.base),
            Expr::Try(expr) => self.finds_mutable_item(tried(expr)),
            Expr::MethodCall(call) if is(call, Fact::Unwraps) => {
                self.finds_mutable_item(&call.receiver)
            }
            Expr::MethodCall(call) => {
                is(call, Fact::Searches) && self.yields_mutable_items(&call.receiver)
            }
            _ => false,
        }
    }
}

/// Collects the temporaries that an expression borrows, and whether mutably. Returns whether the rest of the expression
/// can be evaluated after them.
fn temporaries_in<'e>(
    init: &'e mut Expr,
    by_ref: bool,
    out: &mut Vec<(&'e mut Expr, bool)>,
) -> bool {
    match init {
        Expr::Paren(expr) => temporaries_in(&mut expr.expr, by_ref, out),
        Expr::Reference(expr) => {
            let mutable = expr.mutability.is_some();
            out.extend(lender(&mut expr.expr).map(|value| (value, mutable)));
            true
        }
        init if by_ref => {
            out.extend(lender(init).map(|value| (value, true)));
            true
        }
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Tuple(expr) => expr.elems.iter_mut().all(|part| temporaries_in(part, false, out)),
        Expr::Array(expr) => expr.elems.iter_mut().all(|part| temporaries_in(part, false, out)),
        Expr::Call(call) if only_wraps(&call.func) => {
            call.args.iter_mut().all(|part| temporaries_in(part, false, out))
        }
        _ => false,
    }
}

/// The temporary of which `part` is a projection.
pub(crate) fn lender(part: &mut Expr) -> Option<&mut Expr> {
    // rustc infers the types of a closure from its context, so a closure stays where it is.
    let is_none = match part {
        Expr::Path(_) | Expr::Closure(_) | Expr::Reference(_) => true,
        Expr::Macro(call) => macros::name(&call.mac) == "format_args",
        _ => false,
    };
    match part {
        Expr::Field(expr) => lender(&mut expr.base),
        Expr::Index(expr) => lender(&mut expr.expr),
        Expr::Paren(expr) => lender(&mut expr.expr),
        Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => lender(expr),
        value => (!is_none).then_some(value),
    }
}

/// The array type for an array that is borrowed as the declared slice, so that rustc knows the type of the elements.
fn type_of_array(ty: &Type, value: &Expr) -> Option<Type> {
    let (Type::Reference(ty), Expr::Reference(value)) = (ty, value) else { return None };
    let (Type::Slice(TypeSlice { elem, .. }), Expr::Array(array)) = (&*ty.elem, &*value.expr)
    else {
        return None;
    };
    let len = array.elems.len();
    Some(syn::parse_quote_spanned!(ty.span()=> [#elem; #len]))
}

fn is_literal(value: &Expr) -> bool {
    matches!(value, Expr::Macro(call) if macros::is_literal(&call.mac))
}
