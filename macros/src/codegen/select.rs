//! Polling the branches of `select!`, and continuing with one of them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Index, Pat};

use super::printer::Printer;
use super::variables::{awaited, context, operation_token, parked, ready};
use crate::ir::{Choice, PointId, Terminator};
use crate::syntax::hygiene::hidden;

impl Printer<'_> {
    /// Those of operations alone. While none is ready, the machine stays parked.
    pub(super) fn poll_select(
        &self,
        point: PointId,
        choices: (&[Choice], bool),
        is_biased: bool,
        value: &Ident,
    ) -> TokenStream {
        let (cx, parked, leave) = (context(), parked(), self.leave());
        let (done, turn) = (hidden("done"), hidden("turn"));
        let (mut declare, mut cancel) = (TokenStream::new(), TokenStream::new());
        let mut looks = Vec::new();
        for (index, choice) in choices.0.iter().enumerate() {
            let (token, ready) = (operation_token(point, index), ready(index));
            let taken = taken(index, choice.refusal.as_ref(), value);
            let index = Index::from(index);
            declare.extend(quote!(let mut #ready = __piton::None;));
            looks.push(quote! {
                if let __piton::Poll::Ready(#value) = (&#token).poll(#parked, #index, #cx)? {
                    #taken
                }
            });
            cancel.extend(quote! {
                if (&#ready).is_none() {
                    (&#token).cancel(#parked, #index, #cx)?;
                }
            });
        }
        let look = if is_biased || looks.len() == 1 {
            quote!(#(if !#done { #looks })*)
        } else {
            let tokens = (0..looks.len()).map(|index| operation_token(point, index));
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
        let otherwise = otherwise(choices);
        quote! {
            #declare
            let mut #done = false;
            __piton::open_waits(#cx, false);
            #look
            #otherwise
            __piton::close_waits(#cx, !#done);
            if !#done { break #leave; }
            #cancel
        }
    }

    /// Goes on in the arm of a `select!` that was ready.
    pub(super) fn chosen(&self, point: PointId, arms: Vec<(&Pat, TokenStream)>) -> TokenStream {
        let value = awaited(self.machine.graph.points[point.0].span);
        let last = arms.len().saturating_sub(1);
        let refusals = self.refusals(point);
        let mut out = TokenStream::new();
        for (index, (pat, body)) in arms.into_iter().enumerate() {
            let ready = ready(index);
            let bind = match refusals.get(index) {
                // It has been matched.
                Some(true) => quote! {
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

    /// Which branches of a point may refuse values.
    fn refusals(&self, wanted: PointId) -> Vec<bool> {
        let mut ends = self.machine.graph.blocks.iter().map(|block| &block.end);
        let refusals = ends.find_map(|end| match end {
            Terminator::Select { point, arms, .. } if *point == wanted => {
                Some(arms.iter().map(|arm| arm.refusal.is_some()).collect())
            }
            _ => None,
        });
        refusals.unwrap_or_default()
    }
}

/// Takes the value of a branch, if its pattern does. Otherwise the value is dropped, and the branch is not awaited any
/// more.
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

/// What is done where no branch is left to wait for.
pub(super) fn otherwise((choices, has_else): (&[Choice], bool)) -> TokenStream {
    let may_be_off = |choice: &Choice| choice.cond.is_some() || choice.refusal.is_some();
    if !choices.iter().all(may_be_off) {
        return if has_else { never(choices.len()) } else { TokenStream::new() };
    }
    let (cx, parked, done) = (context(), parked(), hidden("done"));
    let count = Index::from(choices.len());
    let ready = ready(choices.len());
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

/// Where a branch is awaited in any case, the `else` is not come to.
fn never(count: usize) -> TokenStream {
    let ready = ready(count);
    quote!(let #ready = __piton::None::<()>;)
}
