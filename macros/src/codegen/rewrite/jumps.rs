//! Jumps: out of the workflow, to another segment, and within the code.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprBreak, ExprContinue, ExprTry, Ident, Label, Lifetime};

use super::Rewrite;
use crate::codegen::variables::awaited;
use crate::collections::sets::Set;
use crate::ir::{BlockKind, LocalId, label_target, span_ends, whole};
use crate::syntax::hygiene::{hidden, in_source, is_hidden};

/// A loop or labeled block within the code.
pub(super) struct Target {
    label: Option<Label>,
    is_loop: bool,
    /// The split locals that were whole before it.
    whole: Set<LocalId>,
}

impl Rewrite<'_, '_> {
    /// The code of the machine for a jump, if it differs from the source.
    pub(super) fn jump(&mut self, jump: &mut Expr) -> Option<TokenStream> {
        match jump {
            Expr::Return(expr) => {
                let span = expr.return_token.span;
                Some(match &mut expr.expr {
                    Some(value) => self.printer.complete(value, span),
                    None => self.printer.complete(&quote_spanned!(span=> ()), span),
                })
            }
            Expr::Try(expr) => Some(self.tried(expr)),
            Expr::Break(expr) => match expr.label.as_ref().and_then(label_target) {
                Some(target) => {
                    let span = expr.break_token.span;
                    Some(self.printer.break_to(target, expr.expr.as_deref(), span))
                }
                None => self.own_break(expr),
            },
            Expr::Continue(expr) => match expr.label.as_ref().and_then(label_target) {
                Some(target) => Some(self.printer.continue_to(target)),
                None => self.own_continue(expr),
            },
            _ => None,
        }
    }

    fn tried(&self, expr: &ExprTry) -> TokenStream {
        let span = expr.question_token.span;
        let value = &expr.expr;
        if let Some(given) = self.given_by_asked(value) {
            return given;
        }
        let (residual, output) = (in_source("residual", span), in_source("output", span));
        let from = quote_spanned! {span=>
            __piton::FromResidual::from_residual(#residual)
        };
        let complete = self.printer.complete_by_question(&from, span);
        // rustc reports an error of a generated variable at the `?`.
        let made = match &**value {
            Expr::Path(path) => path.path.get_ident().filter(|ident| is_hidden(ident)),
            _ => None,
        };
        let branch = match made {
            Some(made) => {
                let at = made.span().located_at(span);
                let made = Ident::new(&made.to_string(), at);
                quote_spanned!(at=> __piton::Question::branch(#made))
            }
            None => {
                let made = in_source("made", span);
                quote_spanned!(span=> match #value { #made => __piton::Question::branch(#made) })
            }
        };
        // The span from the first token of the value to the `?`, where rustc reports errors.
        let (start, _) = span_ends(value.to_token_stream());
        let whole = whole(&output, start, span);
        quote_spanned! {span=>
            match #branch {
                ::core::ops::ControlFlow::Continue(#output) => #whole,
                ::core::ops::ControlFlow::Break(#residual) => #complete,
            }
        }
    }

    /// The outcome of the await, if `value?` is the `?` that has been applied to it.
    fn given_by_asked(&self, value: &Expr) -> Option<TokenStream> {
        let segment = self.printer.arm.segment;
        let asked = segment.leading_try.as_ref()?;
        let BlockKind::Resume(point) = self.printer.arm.machine.graph[segment.block].kind else {
            return None;
        };
        if !asked.is_of_awaited(value) {
            return None;
        }
        let given = awaited(self.printer.arm.machine.graph.points[point.0].span);
        if asked.is_bound {
            return Some(given.to_token_stream());
        }
        let (start, _) = span_ends(value.to_token_stream());
        Some(whole(&given, start, asked.span))
    }

    fn own_break(&self, jump: &ExprBreak) -> Option<TokenStream> {
        let ExprBreak { label, expr: value, .. } = jump;
        let parts = self.taken_apart_for(label.as_ref())?;
        let given = value.as_ref().map(|_| hidden("value"));
        let evaluate = value.as_ref().map(|value| quote!(let #given = #value;));
        Some(quote!({ #evaluate #parts break #label #given }))
    }

    fn own_continue(&self, jump: &ExprContinue) -> Option<TokenStream> {
        let parts = self.taken_apart_for(jump.label.as_ref())?;
        Some(quote!({ #parts #jump }))
    }

    /// Visits a loop or labeled block.
    pub(super) fn target(
        &mut self,
        label: Option<&Label>,
        is_loop: bool,
        visit: impl FnOnce(&mut Self),
    ) {
        let whole = self.printer.split.whole().clone();
        self.targets.push(Target { label: label.cloned(), is_loop, whole });
        visit(self);
        self.targets.pop();
    }

    /// Splits locals before a jump within the code, as its target expects.
    fn taken_apart_for(&self, label: Option<&Lifetime>) -> Option<TokenStream> {
        let is_target = |target: &&Target| match label {
            Some(label) => target.label.as_ref().is_some_and(|its| its.name == *label),
            None => target.is_loop,
        };
        let target = self.targets.iter().rev().find(is_target);
        let parts = self.printer.split.split_since(&target?.whole);
        (!parts.is_empty()).then_some(parts)
    }
}
