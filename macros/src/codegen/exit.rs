//! The end of an arm: the end of the workflow, or a jump to another arm.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Index};

use super::add::{Piece, add, add_at};
use super::arm::Whereabouts;
use super::printer::Printer;
use super::type_ties::{assign, given};
use super::variables::slot;
use super::{add, state, variables};
use crate::ir::{BlockId, TargetId, span_ends};
use crate::layout::{Layout, VariableId};
use crate::syntax::hygiene::{hidden, in_source};

impl Printer<'_> {
    /// Ends the workflow or region with a value.
    pub(super) fn complete(&self, value: &impl ToTokens, span: Span) -> TokenStream {
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            let result = match self.arm.block().region {
                None => {
                    let (result, ty) = (hidden("value"), self.return_type());
                    add!(out, let #result: #ty = #value;);
                    result
                }
                Some(region) => {
                    let result = in_source("value", self.arm.machine.graph[region].span);
                    let token = variables::value_token(region);
                    add::made(out, given(&result, &token, value));
                    result
                }
            };
            self.return_ok(out, &result, span);
        });
        out
    }

    /// As [`complete`](Self::complete), where a `?` ends the workflow. Without an annotation, rustc reports a wrong type
    /// at the `?`.
    pub(super) fn complete_by_question(&self, value: &TokenStream, span: Span) -> TokenStream {
        if self.arm.block().region.is_some() {
            return self.complete(value, span);
        }
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            self.return_ok(out, value, span);
        });
        out
    }

    /// Returns from the step, and drops the untouched locals.
    fn return_ok(&self, out: &mut TokenStream, result: &impl ToTokens, span: Span) {
        add::made(out, self.untouched.drop_all());
        add_at!(out, span, return __piton::Ok(#result));
    }

    /// The return type. Its span is that of the written one, where rustc reports values of other types.
    fn return_type(&self) -> TokenStream {
        let (start, end) = span_ends(self.arm.machine.function.output.to_token_stream());
        let own = Ident::new("Self", start);
        quote_spanned!(end=> #own::Return)
    }

    /// A `break` that leaves the code of the arm.
    pub(super) fn break_to(
        &self,
        target: TargetId,
        value: Option<&Expr>,
        span: Span,
    ) -> TokenStream {
        let machine = self.arm.machine;
        let target = machine.graph.targets[target.0];
        let Some(exit) = target.exit else { return TokenStream::new() };
        let give = match (target.dest, value) {
            (Some(dest), Some(value)) => assign(machine, dest, value),
            (Some(dest), None) => assign(machine, dest, &quote_spanned!(span=> ())),
            (None, Some(value)) => quote!({ #value }),
            (None, None) => TokenStream::new(),
        };
        self.jump(give, exit)
    }

    /// A `continue` that leaves the code of the arm.
    pub(super) fn continue_to(&self, target: TargetId) -> TokenStream {
        let head = self.arm.machine.graph.targets[target.0].head;
        head.map(|head| self.jump(TokenStream::new(), head)).unwrap_or_default()
    }

    /// Jumps to a block from within a node, which does something `first`.
    fn jump(&self, first: TokenStream, to: BlockId) -> TokenStream {
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            add::made(out, first);
            add::made(out, self.copies.fill_for(&self.split, to));
            self.goto(out, to);
        });
        out
    }

    /// Fills the slots of a segment and jumps to it.
    pub(super) fn goto(&self, out: &mut TokenStream, to: BlockId) {
        let layout = self.arm.machine.layout;
        add::made(out, self.arm.hold(to));
        let segment = layout.segment(to);
        let entry = segment.map(|segment| texts_first(layout, &segment.entry)).unwrap_or_default();
        for id in entry {
            match self.arm.whereabouts(id) {
                Whereabouts::Here => {
                    let slot = slot(id);
                    let value = self.handed_over(id, self.arm.missed_at(id, to));
                    add!(out, (&mut #slot).fill(#value););
                }
                Whereabouts::Parked(position) => {
                    let (slot, position) = (slot(id), Index::from(position));
                    add!(out, (&mut #slot).pass(#position););
                }
                Whereabouts::Slot => {}
            }
        }
        state::jump(self.arm.machine, out, to);
    }

    /// A variable as it is moved to another segment: a borrowed text as a copy. `missed` is where rustc reports a value
    /// that is gone.
    pub(super) fn handed_over(&self, id: VariableId, missed: Option<Span>) -> impl ToTokens {
        let variable = self.arm.machine.layout.variable(id);
        Piece(move |out: &mut TokenStream| {
            let at = Span::call_site();
            let at = missed.map_or(at, |missed| at.located_at(missed));
            let place = self.split.place(&variable.place).at(missed);
            if variable.kind.may_borrow() {
                add_at!(out, at, __piton::owned_text(&#place));
            } else {
                place.to_tokens(out);
            }
        })
    }
}

/// Variables in an order in which they can be moved: borrowed texts before their owners.
pub(super) fn texts_first(layout: &Layout, ids: &[VariableId]) -> Vec<VariableId> {
    let is_text = |id: &VariableId| layout.variable(*id).kind.may_borrow();
    let (texts, others): (Vec<_>, Vec<_>) = ids.iter().copied().partition(is_text);
    [texts, others].concat()
}
