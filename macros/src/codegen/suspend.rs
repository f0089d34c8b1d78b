//! Suspension points: starting and polling operations.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Index, Pat};

use super::add::{Piece, add, add_at};
use super::exit::Whereabouts;
use super::printer::Printer;
use super::variables::{
    awaited, call, context, operation_token, parked, slot, token, token_of_await,
};
use super::{add, state};
use crate::ir::usage::{Usage, bound_locals};
use crate::ir::{Branch, Choice, PointId, Terminator, discard, start_of, whole};
use crate::layout::{Asked, State};

/// Before the suspension.
impl Printer<'_> {
    pub(super) fn suspend_await(
        &self,
        out: &mut TokenStream,
        point: PointId,
        token: &Ident,
        future: &impl ToTokens,
    ) {
        let Some(state) = self.machine.layout.state(point) else { return };
        let number = state::number(self.machine, state.block);
        let (parked, cx, leave) = (parked(), context(), self.leave());
        add!(out, (#token.suspend)(#future, #number, #parked, #cx););
        add::made(out, self.fill_moved_parts());
        add::made(out, self.hold_across());
        self.put(out, state);
        add!(out, break #leave;);
    }

    pub(super) fn suspend_select(
        &self,
        point: PointId,
        arms: &[Choice],
        usage: &Usage,
    ) -> TokenStream {
        let (cx, parked) = (context(), parked());
        let mut make = TokenStream::new();
        let mut start = TokenStream::new();
        if !arms.is_empty() && arms.iter().all(|arm| arm.cond.is_some()) {
            let calls = (0..arms.len()).map(call);
            start.extend(quote!(if #((&#calls).is_none())&&* { __piton::go_on(#cx); }));
        }
        for (index, Choice { cond, future, .. }) in arms.iter().enumerate() {
            let (token, call) = (operation_token(point, index), call(index));
            let Branch::Operation(future) = future else { continue };
            let future = self.expr(future, usage);
            let cond = cond.as_ref().map(|cond| self.expr(cond, usage));
            match cond {
                Some(cond) => {
                    make.extend(quote! {
                        let #call = if #cond {
                            __piton::Some(#future)
                        } else {
                            __piton::None
                        };
                    });
                    start.extend(quote! {
                        (&#token).start_if(#call, #parked, #cx)?;
                    });
                }
                None => {
                    make.extend(quote!(let #call = #future;));
                    start.extend(quote!((&#token).start(#call, #parked, #cx)?;));
                }
            }
        }
        self.suspend_all(point, &make, &start, false)
    }

    pub(super) fn suspend_join(
        &self,
        point: PointId,
        branches: &[impl ToTokens],
        fail_fast: bool,
    ) -> TokenStream {
        let (cx, parked) = (context(), parked());
        let calls: Vec<_> = (0..branches.len()).map(call).collect();
        let start = calls.iter().enumerate().map(|(index, call)| {
            let token = operation_token(point, index);
            quote!((&#token).start(#call, #parked, #cx)?;)
        });
        let make = quote!(#(let #calls = #branches;)*);
        self.suspend_all(point, &make, &quote!(#(#start)*), !fail_fast)
    }

    /// Makes several operations, then starts them.
    fn suspend_all(
        &self,
        point: PointId,
        make: &TokenStream,
        start: &TokenStream,
        all: bool,
    ) -> TokenStream {
        let (cx, leave) = (context(), self.leave());
        let (fill, hold, save) = (self.fill_moved_parts(), self.hold_across(), self.save(point));
        quote! {
            #make
            #fill
            #hold
            #save
            __piton::open_waits(#cx, #all);
            #start
            __piton::close_waits(#cx, true);
            break #leave;
        }
    }

    /// Writes the state with what is needed after the suspension.
    pub(super) fn save(&self, point: PointId) -> TokenStream {
        let Some(state) = self.machine.layout.state(point) else { return TokenStream::new() };
        let number = state::number(self.machine, state.block);
        let parked = parked();
        let mut out = quote!(#parked.write(#number););
        self.put(&mut out, state);
        out
    }

    /// Adds the locals to the state that is being written.
    fn put(&self, out: &mut TokenStream, state: &State) {
        let (layout, parked) = (self.machine.layout, parked());
        let await_span = state.point.map(|point| self.machine.graph.points[point.0].span);
        let span = Span::call_site().located_at(await_span.unwrap_or_else(Span::call_site));
        let next = self.machine.graph[self.at.get().0].end.successors().first().copied();
        let mut fields = state.fields.iter().copied().peekable();
        while let Some(id) = fields.next() {
            let mut token = token(id);
            match self.whereabouts(id) {
                Whereabouts::Here => {
                    let is_text = layout.variable(id).kind.may_borrow();
                    let method = Ident::new(if is_text { "put_text" } else { "put" }, span);
                    token.set_span(token.span().located_at(span));
                    // What does not last is missed at the await, before which it is saved.
                    let missed = next.and_then(|next| self.missed_at(id, next));
                    let at = missed.unwrap_or(span);
                    let lent = Piece(|out: &mut TokenStream| {
                        add_at!(out, at, &);
                        self.place(&layout.variable(id).place).at(Some(at)).to_tokens(out);
                    });
                    add_at!(out, span, (&#token).#method(#lent, #parked););
                }
                Whereabouts::Slot => {
                    let slot = slot(id);
                    add!(out, (&#token).put_slot(&mut #slot, #parked););
                }
                Whereabouts::Parked(first) => {
                    let mut end = first + 1;
                    while fields
                        .next_if(|id| self.whereabouts(*id) == Whereabouts::Parked(end))
                        .is_some()
                    {
                        end += 1;
                    }
                    let (first, end) = (Index::from(first), Index::from(end));
                    add!(out, #parked.keep(#first, #end););
                }
            }
        }
    }
}

/// After the suspension.
impl Printer<'_> {
    /// What is done before the variables of the state are loaded.
    pub(super) fn resume(&self, out: &mut TokenStream, point: PointId) {
        if !self.machine.graph.has_regions(point) {
            self.poll(out, point);
        } else if !self.uses_locals() {
            add::made(out, self.step_branches(point));
        }
    }

    /// Looks after the operations of a point, and stays parked while they are outstanding.
    fn poll(&self, out: &mut TokenStream, point: PointId) {
        let value = awaited(self.machine.graph.points[point.0].span);
        for block in &self.machine.graph.blocks {
            match &block.end {
                Terminator::Await { point: this, future, .. } if *this == point => {
                    return self.poll_alone(out, &token_of_await(point, future), &value);
                }
                Terminator::Select { point: this, arms, has_else, is_biased, .. }
                    if *this == point =>
                {
                    let choices = (&arms[..], *has_else);
                    let poll = self.poll_select(point, choices, *is_biased, &value);
                    return add::made(out, poll);
                }
                Terminator::Join { point: this, branches, fail_fast, .. } if *this == point => {
                    return add::made(out, self.poll_join(point, branches, *fail_fast, &value));
                }
                _ => {}
            }
        }
    }

    /// The outcome of the one operation, or what the `?` gives that is the first to happen behind it.
    fn poll_alone(&self, out: &mut TokenStream, token: &Ident, value: &Ident) {
        let (parked, cx, leave) = (parked(), context(), self.leave());
        let asked = self.segment.asked.as_ref();
        // What rustc says of what is asked, it says of the `?`.
        let at = asked.map_or_else(Span::call_site, |asked| asked.span);
        let resumed = Piece(|out: &mut TokenStream| {
            let resume = Ident::new("resume", token.span());
            add_at!(out, at, (#token.#resume)(#parked, #cx));
        });
        let Some(Asked { awaited, made, .. }) = asked else {
            // A `?` would be two more calls, each with a type of its own.
            return add!(out, let __piton::Some(#value) = #resumed else { break #leave; };);
        };
        if made.is_some() {
            add!(out, let __piton::Some(mut #awaited) = #resumed else { break #leave; };);
        }
        let outcome = Piece(|out: &mut TokenStream| match made {
            Some(made) => add_at!(out, at, __piton::Some(#made)),
            None => resumed.to_tokens(out),
        });
        let asked = Piece(|out: &mut TokenStream| {
            add_at!(out, at, __piton::Question::ask(
                #outcome,
                #parked,
                <Self::Return as __piton::FromResidual<_>>::returned
            ));
        });
        add!(out, let __piton::Some(#value) = #asked else { break #leave; };);
    }

    /// Binds what was awaited, once the variables are loaded.
    pub(super) fn bind_awaited(&self, out: &mut TokenStream, point: PointId) {
        if self.segment.asked.is_some() {
            return;
        }
        let value = awaited(self.machine.graph.points[point.0].span);
        for block in &self.machine.graph.blocks {
            match &block.end {
                Terminator::Await { point: this, future, pat: Pat::Verbatim(_), ty, .. }
                    if *this == point =>
                {
                    let start = start_of(future);
                    let end = self.machine.graph.points[point.0].span;
                    return if ty.is_some() {
                        let value = whole(&value, start, end);
                        add!(out, { #value });
                    } else {
                        add::made(out, discard(&value, start, end));
                        add!(out, ;);
                    };
                }
                Terminator::Await { point: this, pat, ty, .. } if *this == point => {
                    if matches!(pat, Pat::Wild(_)) && ty.is_none() {
                        return add!(out, ::core::mem::drop(#value););
                    }
                    match ty {
                        Some(ty) => add!(out, let #pat: #ty = #value;),
                        None => add!(out, let #pat = #value;),
                    }
                    add::made(out, self.see(pat));
                    add::made(out, self.tie(bound_locals(&self.machine.graph.locals, pat)));
                    return;
                }
                Terminator::Join { point: this, pat, .. } if *this == point => {
                    return add!(out, let #pat = #value;);
                }
                _ => {}
            }
        }
    }
}
