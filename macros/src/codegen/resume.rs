//! The beginning of an arm after a suspension: it polls the operations of its state and binds their outcome.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Pat;

use super::add;
use super::add::{Piece, add, add_at};
use super::arm::Arm;
use super::printer::Printer;
use super::type_ties::tie;
use super::unused_variables::use_bound;
use super::variables::{awaited, context, parked, token_of_await};
use super::waits::suspension;
use crate::ir::usage::bound_locals;
use crate::ir::{PointId, Terminator, discard, start_of, whole};
use crate::layout::LeadingTry;

/// The operations that the arm of a state polls.
pub(super) struct Awaited<'a> {
    pub(super) arm: Arm<'a>,
    pub(super) point: PointId,
    /// The variable for the outcome.
    pub(super) value: Ident,
    /// Leaves the step while the operations are outstanding.
    pub(super) pending: TokenStream,
}

impl<'a> Printer<'a> {
    pub(super) fn awaited(&self, point: PointId) -> Awaited<'a> {
        let (arm, leave) = (self.arm, self.arm.leave());
        let value = awaited(arm.machine.graph.points[point.0].span);
        // Regions may have changed the locals that are loaded.
        let save = arm.lends_to_regions().then(|| {
            let (save, parked) = (self.save(point), parked());
            quote!(#save #parked.keep_operations();)
        });
        Awaited { arm, point, value, pending: quote!(#save break #leave;) }
    }
}

impl Awaited<'_> {
    /// Polls before variables are loaded; regions that use the variables are stepped after that.
    pub(super) fn resume(&self, out: &mut TokenStream) {
        if !self.arm.machine.graph.has_regions(self.point) {
            self.poll(out);
        } else if !self.arm.lends_to_regions() {
            add::made(out, self.step_branches());
        }
    }

    fn poll(&self, out: &mut TokenStream) {
        match suspension(self.arm.machine.graph, self.point) {
            Some(Terminator::Await { future, .. }) => {
                self.poll_alone(out, &token_of_await(self.point, future));
            }
            Some(Terminator::Select { arms, has_else, is_biased, .. }) => {
                add::made(out, self.poll_select((arms, *has_else), *is_biased));
            }
            Some(Terminator::Join { branches, fail_fast, .. }) => {
                add::made(out, self.poll_join(branches, *fail_fast));
            }
            _ => {}
        }
    }

    /// Binds the outcome of one operation, or the value of the first `?` that is applied to it.
    fn poll_alone(&self, out: &mut TokenStream, token: &Ident) {
        let (parked, cx, value, pending) = (parked(), context(), &self.value, &self.pending);
        let question = self.arm.segment.leading_try.as_ref();
        // rustc reports errors of the `?` there.
        let at = question.map_or_else(Span::call_site, |question| question.span);
        let resumed = Piece(|out: &mut TokenStream| {
            let resume = Ident::new("resume", token.span());
            add_at!(out, at, (#token.#resume)(#parked, #cx));
        });
        let Some(LeadingTry { awaited, operand, .. }) = question else {
            // A `?` would be two more calls, each with a type of its own.
            return add!(out, let __piton::Some(#value) = #resumed else { #pending };);
        };
        if operand.is_some() {
            add!(out, let __piton::Some(mut #awaited) = #resumed else { #pending };);
        }
        let outcome = Piece(|out: &mut TokenStream| match operand {
            Some(operand) => add_at!(out, at, __piton::Some(#operand)),
            None => resumed.to_tokens(out),
        });
        let asked = Piece(|out: &mut TokenStream| {
            add_at!(out, at, __piton::Question::ask(
                #outcome,
                #parked,
                <Self::Return as __piton::FromResidual<_>>::returned
            ));
        });
        add!(out, let __piton::Some(#value) = #asked else { #pending };);
    }

    /// Binds the pattern of the await to the outcome, after the variables are loaded.
    pub(super) fn bind(&self, out: &mut TokenStream) {
        let (Arm { machine, segment }, value) = (self.arm, &self.value);
        if segment.leading_try.is_some() {
            return;
        }
        match suspension(machine.graph, self.point) {
            Some(Terminator::Await { future, pat: Pat::Verbatim(_), ty, .. }) => {
                let (start, end) = (start_of(future), machine.graph.points[self.point.0].span);
                if ty.is_some() {
                    let value = whole(value, start, end);
                    add!(out, { #value });
                } else {
                    add::made(out, discard(value, start, end));
                    add!(out, ;);
                }
            }
            Some(Terminator::Await { pat: Pat::Wild(_), ty: None, .. }) => {
                add!(out, ::core::mem::drop(#value););
            }
            Some(Terminator::Await { pat, ty, .. }) => {
                match ty {
                    Some(ty) => add!(out, let #pat: #ty = #value;),
                    None => add!(out, let #pat = #value;),
                }
                add::made(out, use_bound(self.arm, pat));
                add::made(out, tie(machine, bound_locals(&machine.graph.locals, pat)));
            }
            Some(Terminator::Join { pat, .. }) => add!(out, let #pat = #value;),
            _ => {}
        }
    }
}
