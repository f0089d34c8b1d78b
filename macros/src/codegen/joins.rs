//! Polling the branches of `join!` and `try_join!`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Index;
use syn::spanned::Spanned;

use super::printer::Printer;
use super::variables::{
    awaited, begins, closure, context, handle, operation_token, output_token, parked,
};
use super::waits::Wait;
use crate::ir::{Branch, PointId, RegionId};
use crate::syntax::hygiene::hidden;

impl Printer<'_> {
    /// Those of operations alone.
    pub(super) fn poll_join(
        &self,
        point: PointId,
        branches: &[Branch<RegionId>],
        fail_fast: bool,
        value: &Ident,
    ) -> TokenStream {
        let (cx, parked, done, leave) = (context(), parked(), hidden("done"), self.leave());
        let spans = branches.iter().map(|branch| branch.operation().map(Spanned::span));
        let spans: Vec<_> = spans.map(|span| span.unwrap_or_else(Span::call_site)).collect();
        let branches: Vec<_> = (0..branches.len())
            .map(|index| (operation_token(point, index), Index::from(index)))
            .collect();
        if !fail_fast {
            let poll = branches
                .iter()
                .map(|(token, index)| quote!(#done &= (&#token).poll(#parked, #index, #cx)?;));
            let take =
                branches.iter().map(|(token, index)| quote!((&#token).take(#parked, #index)?));
            return quote! {
                let mut #done = true;
                __piton::open_waits(#cx, true);
                #(#poll)*
                __piton::close_waits(#cx, !#done);
                if !#done { break #leave; }
                let #value = (#(#take,)*);
            };
        }
        let failed = hidden("failed");
        // After a failure nobody is looked after any more.
        let look = branches.iter().zip(&spans).map(|((token, index), span)| {
            let note = note_failure(&look_at("failed", token, index, *span), *span);
            quote! {
                if (&#failed).is_none() {
                    #done &= (&#token).poll(#parked, #index, #cx)?;
                    #note
                }
            }
        });
        let cancel =
            branches.iter().map(|(token, index)| quote!((&#token).cancel(#parked, #index, #cx)?;));
        let take = branches.iter().zip(&spans).map(|((token, index), span)| {
            let look = look_at("take_ok", token, index, *span);
            quote!(#look?)
        });
        quote! {
            let mut #done = true;
            let mut #failed = __piton::None;
            __piton::open_waits(#cx, false);
            #(#look)*
            __piton::close_waits(#cx, (&#failed).is_none() && !#done);
            let #value = match #failed {
                __piton::Some(#failed) => {
                    #(#cancel)*
                    __piton::Err(#failed)
                }
                __piton::None => {
                    if !#done { break #leave; }
                    __piton::Ok((#(#take,)*))
                }
            };
        }
    }

    /// Those of which one is a region.
    pub(super) fn step_join(
        &self,
        point: PointId,
        wait: &Wait<'_>,
        fail_fast: bool,
    ) -> TokenStream {
        let (cx, parked, done) = (context(), parked(), hidden("done"));
        let value = awaited(self.machine.graph.points[point.0].span);
        let failed = hidden("failed");
        // Without a failure all are looked after, and those that begin in any case.
        let unless_failed = fail_fast.then(|| quote!(&& (&#failed).is_none()));
        let mut step = TokenStream::new();
        let (mut cancel, mut take) = (TokenStream::new(), Vec::new());
        for (index, (_, branch)) in wait.branches.iter().enumerate() {
            let number = Index::from(index);
            match branch {
                Branch::Operation(call) => {
                    let token = operation_token(point, index);
                    let is_looked_after = self.begin(point, index);
                    step.extend(quote! {
                        #done &= #is_looked_after #unless_failed
                            && (&#token).poll(#parked, #number, #cx)?;
                    });
                    if fail_fast {
                        let look = look_at("failed", &token, &number, call.span());
                        let note = note_failure(&look, call.span());
                        let value_of = look_at("take_ok", &token, &number, call.span());
                        step.extend(quote!(if (&#failed).is_none() { #note }));
                        cancel.extend(quote!((&#token).cancel(#parked, #number, #cx)?;));
                        take.push(quote!(#value_of?));
                    } else {
                        take.push(quote!((&#token).take(#parked, #number)?));
                    }
                }
                Branch::Region(region) => {
                    let (handle, begins) = (handle(*region), begins(*region));
                    let (closure, output) = (closure(*region), output_token(*region));
                    let join = quote! {
                        #done &= #handle.join(#begins, &#output, #parked, #cx, &mut #closure)?;
                    };
                    if fail_fast {
                        let span = self.machine.graph[*region].span;
                        let output = lent_at(&output, span);
                        let note = note_failure(&quote!(#handle.failed(#output, #parked)), span);
                        step.extend(quote! {
                            if #begins || (&#failed).is_none() { #join }
                            if (&#failed).is_none() { #note }
                        });
                        cancel.extend(quote! {
                            #handle.lose(#output, #parked, #cx, &mut #closure)?;
                        });
                        take.push(quote!(#handle.take_ok(#output, #parked)?));
                    } else {
                        step.extend(join);
                        take.push(quote!(#handle.take(&#output, #parked)?));
                    }
                }
            }
        }
        let again = self.again(point);
        if !fail_fast {
            return quote! {
                let mut #done = true;
                __piton::open_waits(#cx, true);
                #step
                __piton::close_waits(#cx, !#done);
                if !#done { #again }
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
                    if !#done { #again }
                    __piton::Ok((#(#take,)*))
                }
            };
        }
    }
}

/// Asks an operation for its error or its value.
fn look_at(function: &str, token: &Ident, index: &Index, operation: Span) -> TokenStream {
    let at = Span::mixed_site().located_at(operation);
    let (parked, function, token) = (parked(), Ident::new(function, at), lent_at(token, operation));
    quote_spanned!(at=> __piton::#function(#token, #parked, #index))
}

/// A borrow of the token of a branch. If its outcome is not of the type that is wanted, rustc says so of the
/// branch.
fn lent_at(token: &Ident, branch: Span) -> TokenStream {
    let at = Span::mixed_site().located_at(branch);
    let token = Ident::new(&token.to_string(), at);
    quote_spanned!(at=> &#token)
}

/// Notes how a branch has failed. If that is another type of error than that of the branch before it,
/// rustc says so of the branch.
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
