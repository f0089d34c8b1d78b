//! Suspension points: how operations are started, and how they are looked after.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Pat;

use super::print::{Printer, awaited, call, locals, ready};
use super::state::{self, Field};
use super::step::{self, context, operation_token};
use crate::hygiene::hidden;
use crate::ir::{Choice, PointId, Terminator};
use crate::usage::Usage;

/// Before the suspension.
impl Printer<'_> {
    pub(super) fn suspend_await(&self, point: PointId, future: &TokenStream) -> TokenStream {
        let (token, call, cx) = (operation_token(point, 0), call(0), context());
        let save = self.save(point);
        quote! {
            let #call = #token.start(#future, #cx)?;
            #save
        }
    }

    pub(super) fn suspend_select(
        &self,
        point: PointId,
        arms: &[Choice],
        usage: &Usage,
    ) -> TokenStream {
        let cx = context();
        let mut make = TokenStream::new();
        let mut start = TokenStream::new();
        for (index, Choice { cond, future }) in arms.iter().enumerate() {
            let (token, call) = (operation_token(point, index), call(index));
            let future = self.expr(future, usage);
            let cond = cond.as_ref().map(|cond| self.expr(cond, usage));
            match cond {
                Some(cond) => {
                    make.extend(quote! {
                        let #call = if #cond {
                            ::core::option::Option::Some(#future)
                        } else {
                            ::core::option::Option::None
                        };
                    });
                    start.extend(quote!(let #call = #token.start_if(#call, #cx)?;));
                }
                None => {
                    make.extend(quote!(let #call = #future;));
                    start.extend(quote!(let #call = #token.start(#call, #cx)?;));
                }
            }
        }
        let save = self.save(point);
        quote! {
            #make
            ::piton::__private::open_waits(#cx, false);
            #start
            ::piton::__private::close_waits(#cx, true);
            #save
        }
    }

    pub(super) fn suspend_join(
        &self,
        point: PointId,
        branches: &[TokenStream],
        fail_fast: bool,
    ) -> TokenStream {
        let cx = context();
        let calls: Vec<_> = (0..branches.len()).map(call).collect();
        let start = calls.iter().enumerate().map(|(index, call)| {
            let token = operation_token(point, index);
            quote!(let #call = #token.start(#call, #cx)?;)
        });
        let save = self.save(point);
        let all = !fail_fast;
        quote! {
            #(let #calls = #branches;)*
            ::piton::__private::open_waits(#cx, #all);
            #(#start)*
            ::piton::__private::close_waits(#cx, true);
            #save
        }
    }
}

/// After the suspension.
impl Printer<'_> {
    /// The pattern of the state, and what is done before its variables are loaded.
    pub(super) fn resume(&self, point: PointId) -> (TokenStream, TokenStream) {
        let layout = self.machine.layout;
        let Some(state) = layout.state(point) else {
            return (TokenStream::new(), TokenStream::new());
        };
        let (name, variant) = (state::type_name(), &state.variant);
        let fields = state::fields(state);
        let mut calls = (0..state.operations).map(call);
        let values = fields.iter().map(|field| match field {
            Field::Locals(_) => locals().to_token_stream(),
            Field::Saved(_) => {
                let call = calls.next();
                quote!(mut #call)
            }
        });
        let pattern = quote!(#name::#variant { #(#fields: #values),* });
        let mut before = self.poll(point);
        if !state.fields.is_empty() {
            let locals = locals();
            before.extend(quote!(let mut #locals = #locals.read();));
        }
        (step::arm_of_state(self.machine, &pattern), before)
    }

    /// Looks after the operations of a point and suspends again while they are outstanding.
    fn poll(&self, point: PointId) -> TokenStream {
        let again = self.suspended(point, &locals().to_token_stream());
        let value = awaited(self.machine.graph.points[point.0].span);
        let ends = self.machine.graph.blocks.iter().map(|block| &block.end);
        for end in ends {
            match end {
                Terminator::Await { point: this, .. } if *this == point => {
                    return poll_await(point, &value, &again);
                }
                Terminator::Select { point: this, arms, .. } if *this == point => {
                    return poll_select(point, arms.len(), &value, &again);
                }
                Terminator::Join { point: this, branches, fail_fast, .. } if *this == point => {
                    return poll_join(point, branches.len(), *fail_fast, &value, &again);
                }
                _ => {}
            }
        }
        TokenStream::new()
    }

    /// Binds what was awaited, once the variables are loaded.
    pub(super) fn bind_awaited(&self, point: PointId) -> TokenStream {
        let value = awaited(self.machine.graph.points[point.0].span);
        for block in &self.machine.graph.blocks {
            match &block.end {
                Terminator::Await { point: this, pat, ty, .. } if *this == point => {
                    if matches!(pat, Pat::Wild(_)) && ty.is_none() {
                        return quote!(::core::mem::drop(#value););
                    }
                    let ty = ty.as_ref().map(|ty| quote!(: #ty));
                    return quote!(let #pat #ty = #value;);
                }
                Terminator::Join { point: this, pat, .. } if *this == point => {
                    return quote!(let #pat = #value;);
                }
                _ => {}
            }
        }
        TokenStream::new()
    }

    /// Goes on in the arm of a `select!` that was ready.
    pub(super) fn chosen(&self, point: PointId, arms: Vec<(&Pat, TokenStream)>) -> TokenStream {
        let value = awaited(self.machine.graph.points[point.0].span);
        let last = arms.len().saturating_sub(1);
        let mut out = TokenStream::new();
        for (index, (pat, body)) in arms.into_iter().enumerate() {
            let ready = ready(index);
            if index == last {
                // One of them was ready.
                out.extend(quote!({
                    let ::core::option::Option::Some(#value) = #ready else {
                        ::core::unreachable!()
                    };
                    let #pat = #value;
                    #body
                }));
            } else {
                out.extend(quote! {
                    if let ::core::option::Option::Some(#value) = #ready {
                        let #pat = #value;
                        #body
                    } else
                });
            }
        }
        out
    }
}

fn poll_await(point: PointId, value: &Ident, again: &TokenStream) -> TokenStream {
    let (token, call, cx) = (operation_token(point, 0), call(0), context());
    let ready = ready(0);
    quote! {
        let #value = match #token.poll(&mut #call, #cx)? {
            ::core::task::Poll::Ready(#ready) => #ready,
            ::core::task::Poll::Pending => { #again }
        };
    }
}

fn poll_select(point: PointId, count: usize, value: &Ident, again: &TokenStream) -> TokenStream {
    let cx = context();
    let mut declare = TokenStream::new();
    let mut poll = TokenStream::new();
    let mut cancel = TokenStream::new();
    for index in 0..count {
        let (token, call, ready) = (operation_token(point, index), call(index), ready(index));
        declare.extend(quote!(let mut #ready = ::core::option::Option::None;));
        poll.extend(quote! {
            if let ::core::task::Poll::Ready(#value) = #token.poll(&mut #call, #cx)? {
                #ready = ::core::option::Option::Some(#value);
            } else
        });
        cancel.extend(quote! {
            if #ready.is_none() {
                #token.cancel(&#call, #cx)?;
            }
        });
    }
    quote! {
        #declare
        ::piton::__private::open_waits(#cx, false);
        #poll {
            ::piton::__private::close_waits(#cx, true);
            #again
        }
        ::piton::__private::close_waits(#cx, false);
        #cancel
    }
}

fn poll_join(
    point: PointId,
    count: usize,
    fail_fast: bool,
    value: &Ident,
    again: &TokenStream,
) -> TokenStream {
    let (cx, done) = (context(), hidden("done"));
    let branches: Vec<_> =
        (0..count).map(|index| (operation_token(point, index), call(index))).collect();
    let poll = branches.iter().map(|(token, call)| quote!(#done &= #token.poll(&mut #call, #cx)?;));
    if !fail_fast {
        let take = branches.iter().map(|(token, call)| quote!(#token.take(&#call)?));
        return quote! {
            let mut #done = true;
            ::piton::__private::open_waits(#cx, true);
            #(#poll)*
            ::piton::__private::close_waits(#cx, !#done);
            if !#done { #again }
            let #value = (#(#take,)*);
        };
    }
    let failed = hidden("failed");
    let look = branches.iter().map(|(token, call)| {
        quote! {
            if #failed.is_none() { #failed = #token.failed(&#call)?; }
        }
    });
    let cancel = branches.iter().map(|(token, call)| quote!(#token.cancel(&#call, #cx)?;));
    let take = branches.iter().map(|(token, call)| quote!(#token.take_ok(&#call)?));
    quote! {
        let mut #done = true;
        let mut #failed = ::core::option::Option::None;
        ::piton::__private::open_waits(#cx, false);
        #(#poll)*
        #(#look)*
        ::piton::__private::close_waits(#cx, #failed.is_none() && !#done);
        let #value = match #failed {
            ::core::option::Option::Some(#failed) => {
                #(#cancel)*
                ::core::result::Result::Err(#failed)
            }
            ::core::option::Option::None => {
                if !#done { #again }
                ::core::result::Result::Ok((#(#take,)*))
            }
        };
    }
}
