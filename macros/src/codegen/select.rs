//! Polling the branches of `select!`, and continuing with one of them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Index, Pat};

use super::resume::Awaited;
use super::variables::{awaited, context, operation_token, parked, ready};
use super::waits::wait_at;
use crate::ir::{Choice, Graph, PointId};
use crate::syntax::hygiene::hidden;

impl Awaited<'_> {
    /// Polls a `select!` of operations alone.
    pub(super) fn poll_select(&self, choices: (&[Choice], bool), is_biased: bool) -> TokenStream {
        let (cx, parked, value) = (context(), parked(), &self.value);
        let (done, turn) = (hidden("done"), hidden("turn"));
        let (mut looks, mut give_up) = (Vec::new(), Vec::new());
        for (index, choice) in choices.0.iter().enumerate() {
            let token = operation_token(self.point, index);
            let taken = taken(index, choice.refusal.as_ref(), value);
            let index = Index::from(index);
            looks.push(quote! {
                if let __piton::Poll::Ready(#value) = (&#token).poll(#parked, #index, #cx)? {
                    #taken
                }
            });
            give_up.push(quote!((&#token).cancel(#parked, #index, #cx)?;));
        }
        let look = if is_biased || looks.len() == 1 {
            quote!(#(if !#done { #looks })*)
        } else {
            let tokens = (0..looks.len()).map(|index| operation_token(self.point, index));
            let numbers = (0..looks.len()).map(Index::from);
            let arms = numbers.clone();
            quote! {
                for #turn in __piton::in_turn([
                    #((&#tokens).arrived(#parked, #numbers, #cx)),*
                ]) {
                    match #turn {
                        #(#arms => { #looks })*
                        _ => {}
                    }
                    if #done { break; }
                }
            }
        };
        self.select(&look, choices, &give_up)
    }

    /// Steps the branches, until one is ready; then gives up the others.
    pub(super) fn select(
        &self,
        step: &TokenStream,
        choices: (&[Choice], bool),
        give_up: &[TokenStream],
    ) -> TokenStream {
        let (cx, done, pending) = (context(), hidden("done"), &self.pending);
        let ready: Vec<_> = (0..give_up.len()).map(ready).collect();
        let otherwise = otherwise(choices);
        quote! {
            #(let mut #ready = __piton::None;)*
            let mut #done = false;
            __piton::open_waits(#cx, false);
            #step
            #otherwise
            __piton::close_waits(#cx, !#done);
            if !#done { #pending }
            #(if (&#ready).is_none() { #give_up })*
        }
    }
}

/// Continues in the arm of the branch that was ready.
pub(super) fn chosen(graph: &Graph, point: PointId, arms: Vec<(&Pat, TokenStream)>) -> TokenStream {
    let value = awaited(graph.points[point.0].span);
    let last = arms.len().saturating_sub(1);
    let choices = wait_at(graph, point).map_or(&[][..], |wait| wait.choices.0);
    let mut out = TokenStream::new();
    for (index, (pat, body)) in arms.into_iter().enumerate() {
        let ready = ready(index);
        let bind = match choices.get(index) {
            // The value has been matched when the branch was polled.
            Some(Choice { refusal: Some(_), .. }) => quote! {
                #[allow(irrefutable_let_patterns)]
                let #pat = #value else { ::core::unreachable!() };
            },
            _ => quote!(let #pat = #value;),
        };
        if index == last {
            // One of them was ready.
            out.extend(quote!({
                let __piton::Some(#value) = #ready else {
                    ::core::unreachable!()
                };
                #bind
                #body
            }));
        } else {
            out.extend(quote! {
                if let __piton::Some(#value) = #ready {
                    #bind
                    #body
                } else
            });
        }
    }
    out
}

/// Takes the value of a branch if its pattern matches. Otherwise drops the value and disables the branch.
pub(super) fn taken(index: usize, refusal: Option<&Pat>, value: &Ident) -> TokenStream {
    let (parked, ready, done) = (parked(), ready(index), hidden("done"));
    let refused = hidden("refused");
    let take = quote! {
        #ready = __piton::Some(#value);
        #done = true;
    };
    let Some(pat) = refusal else { return take };
    let index = Index::from(index);
    quote! {
        #[allow(unreachable_patterns)]
        let #refused = match #value {
            #pat => false,
            _ => true,
        };
        if #refused {
            ::core::mem::drop(#value);
            #parked.refuse(#index)?;
        } else {
            #take
        }
    }
}

/// Takes the `else` branch, or panics, if all branches are disabled.
pub(super) fn otherwise((choices, has_else): (&[Choice], bool)) -> TokenStream {
    let may_be_off = |choice: &Choice| choice.cond.is_some() || choice.refusal.is_some();
    let ready = ready(choices.len());
    if !choices.iter().all(may_be_off) {
        // The `else` branch is never taken.
        return if has_else { quote!(let #ready = __piton::None::<()>;) } else { quote!() };
    }
    let (cx, parked, done) = (context(), parked(), hidden("done"));
    let count = Index::from(choices.len());
    let (declare, go_on) = match has_else {
        true => (
            quote!(let mut #ready = __piton::None;),
            quote! {
                #ready = __piton::Some(());
                #done = true;
            },
        ),
        false => (
            TokenStream::new(),
            quote!(::core::panic!(
                "all branches of a `select!` are disabled and it has no `else` branch"
            );),
        ),
    };
    quote! {
        #declare
        if !#done && __piton::are_off(#parked, #count, #cx) { #go_on }
    }
}
