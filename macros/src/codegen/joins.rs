//! Polling the branches of `join!` and `try_join!`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Index;
use syn::spanned::Spanned;

use super::resume::Awaited;
use super::variables::{begins, closure, context, handle, operation_token, output_token, parked};
use super::waits::Wait;
use crate::ir::{Branch, RegionId};
use crate::syntax::hygiene::hidden;

impl Awaited<'_> {
    /// Polls a `join!` of operations alone.
    pub(super) fn poll_join(&self, branches: &[Branch<RegionId>], fail_fast: bool) -> TokenStream {
        let (cx, parked, done) = (context(), parked(), hidden("done"));
        let failed = hidden("failed");
        let mut join = Join::default();
        for (index, branch) in branches.iter().enumerate() {
            let span = branch.operation().map_or_else(Span::call_site, Spanned::span);
            let (token, index) = (operation_token(self.point, index), Index::from(index));
            let poll = quote!(#done &= (&#token).poll(#parked, #index, #cx)?;);
            if fail_fast {
                let note = note_failure(&look_at("failed", &token, &index, span), span);
                // After a failure the others are not polled.
                join.step.extend(quote!(if (&#failed).is_none() { #poll #note }));
            } else {
                join.step.extend(poll);
            }
            join.end_operation(&token, &index, span, fail_fast);
        }
        self.join(&join, fail_fast)
    }

    /// Steps a `join!` with a region.
    pub(super) fn step_join(&self, wait: &Wait<'_>, fail_fast: bool) -> TokenStream {
        let (cx, parked, done) = (context(), parked(), hidden("done"));
        let failed = hidden("failed");
        // After a failure, only branches that begin are stepped.
        let unless_failed = fail_fast.then(|| quote!(&& (&#failed).is_none()));
        let mut join = Join::default();
        for (index, (_, branch)) in wait.branches.iter().enumerate() {
            match branch {
                Branch::Operation(call) => {
                    let token = operation_token(self.point, index);
                    let is_polled = self.begin(index);
                    let index = Index::from(index);
                    join.step.extend(quote! {
                        #done &= #is_polled #unless_failed
                            && (&#token).poll(#parked, #index, #cx)?;
                    });
                    if fail_fast {
                        let look = look_at("failed", &token, &index, call.span());
                        let note = note_failure(&look, call.span());
                        join.step.extend(quote!(if (&#failed).is_none() { #note }));
                    }
                    join.end_operation(&token, &index, call.span(), fail_fast);
                }
                Branch::Region(region) => {
                    let (handle, begins) = (handle(*region), begins(*region));
                    let (closure, output) = (closure(*region), output_token(*region));
                    let step = quote! {
                        #done &= #handle.join(#begins, &#output, #parked, #cx, &mut #closure)?;
                    };
                    if fail_fast {
                        let span = self.arm.machine.graph[*region].span;
                        let output = lent_at(&output, span);
                        let note = note_failure(&quote!(#handle.failed(#output, #parked)), span);
                        join.step.extend(quote! {
                            if #begins || (&#failed).is_none() { #step }
                            if (&#failed).is_none() { #note }
                        });
                        join.cancel.extend(quote! {
                            #handle.lose(#output, #parked, #cx, &mut #closure)?;
                        });
                        join.take.push(quote!(#handle.take_ok(#output, #parked)?));
                    } else {
                        join.step.extend(step);
                        join.take.push(quote!(#handle.take(&#output, #parked)?));
                    }
                }
            }
        }
        self.join(&join, fail_fast)
    }

    fn join(&self, Join { step, cancel, take }: &Join, fail_fast: bool) -> TokenStream {
        let (cx, done, failed) = (context(), hidden("done"), hidden("failed"));
        let (value, pending) = (&self.value, &self.pending);
        if !fail_fast {
            return quote! {
                let mut #done = true;
                __piton::open_waits(#cx, true);
                #step
                __piton::close_waits(#cx, !#done);
                if !#done { #pending }
                let #value = (#(#take,)*);
            };
        }
        quote! {
            let mut #done = true;
            let mut #failed = __piton::None;
            __piton::open_waits(#cx, false);
            #step
            __piton::close_waits(#cx, (&#failed).is_none() && !#done);
            let #value = match #failed {
                __piton::Some(#failed) => {
                    #cancel
                    __piton::Err(#failed)
                }
                __piton::None => {
                    if !#done { #pending }
                    __piton::Ok((#(#take,)*))
                }
            };
        }
    }
}

/// The code of the branches of a `join!`.
#[derive(Default)]
struct Join {
    step: TokenStream,
    /// Cancels them after a failure.
    cancel: TokenStream,
    /// The values, once all are done.
    take: Vec<TokenStream>,
}

impl Join {
    /// Adds the end of an operation.
    fn end_operation(&mut self, token: &Ident, index: &Index, span: Span, fail_fast: bool) {
        let (cx, parked) = (context(), parked());
        if fail_fast {
            let value = look_at("take_ok", token, index, span);
            self.cancel.extend(quote!((&#token).cancel(#parked, #index, #cx)?;));
            self.take.push(quote!(#value?));
        } else {
            self.take.push(quote!((&#token).take(#parked, #index)?));
        }
    }
}

/// Asks an operation for its error or its value.
fn look_at(function: &str, token: &Ident, index: &Index, operation: Span) -> TokenStream {
    let at = Span::mixed_site().located_at(operation);
    let (parked, function, token) = (parked(), Ident::new(function, at), lent_at(token, operation));
    quote_spanned!(at=> __piton::#function(#token, #parked, #index))
}

/// A borrow of the token of a branch, where rustc reports an outcome of another type.
fn lent_at(token: &Ident, branch: Span) -> TokenStream {
    let at = Span::mixed_site().located_at(branch);
    let token = Ident::new(&token.to_string(), at);
    quote_spanned!(at=> &#token)
}

/// Notes the error of a branch. If its type is not that of the branch before, rustc reports it at the branch.
fn note_failure(look: &TokenStream, branch: Span) -> TokenStream {
    let (failed, mut made, halt) = (hidden("failed"), hidden("made"), hidden("halt"));
    made.set_span(made.span().located_at(branch));
    quote_spanned! {branch=>
        #failed = match #look {
            __piton::Ok(#made) => #made,
            __piton::Err(#halt) => return __piton::Err(#halt),
        };
    }
}
