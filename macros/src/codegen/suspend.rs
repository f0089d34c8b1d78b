//! The end of an arm at a suspension point: it starts the operations and writes the state.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Index;

use super::add::{Piece, add, add_at};
use super::arm::Whereabouts;
use super::machine::Machine;
use super::printer::Printer;
use super::variables::{call, context, operation_token, parked, slot, token};
use super::{add, state};
use crate::ir::usage::Usage;
use crate::ir::{Branch, Choice, PointId};
use crate::layout::State;

impl Printer<'_> {
    /// Starts the operation of an await.
    pub(super) fn suspend_await(
        &self,
        out: &mut TokenStream,
        point: PointId,
        token: &Ident,
        future: &impl ToTokens,
    ) {
        let machine = self.arm.machine;
        let Some(state) = machine.layout.state(point) else { return };
        let number = state::number(machine, state.block);
        let (parked, cx, leave) = (parked(), context(), self.arm.leave());
        add!(out, (#token.suspend)(#future, #number, #parked, #cx););
        add::made(out, self.copies.fill(&self.split));
        add::made(out, self.hold_across());
        self.put(out, state);
        add!(out, break #leave;);
    }

    /// Starts the operations of a `select!`.
    pub(super) fn suspend_select(
        &mut self,
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

    /// Starts the operations of a `join!`.
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
        let (cx, leave) = (context(), self.arm.leave());
        let fill = self.copies.fill(&self.split);
        let (hold, save) = (self.hold_across(), self.save(point));
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

    /// Uses the borrows that are held across the suspension at the end of the block.
    pub(super) fn hold_across(&self) -> TokenStream {
        let end = &self.arm.machine.graph[self.block].end;
        end.successors().into_iter().map(|to| self.arm.hold(to)).collect()
    }

    /// Writes the state of a point.
    pub(super) fn save(&self, point: PointId) -> TokenStream {
        let machine = self.arm.machine;
        let Some(state) = machine.layout.state(point) else { return TokenStream::new() };
        let number = state::number(machine, state.block);
        let parked = parked();
        let mut out = quote!(#parked.write(#number););
        self.put(&mut out, state);
        out
    }

    /// Adds the saved locals to the state that is being written.
    fn put(&self, out: &mut TokenStream, state: &State) {
        let (Machine { graph, layout, .. }, parked) = (self.arm.machine, parked());
        let await_span = state.point.map(|point| graph.points[point.0].span);
        let span = Span::call_site().located_at(await_span.unwrap_or_else(Span::call_site));
        let next = graph[self.block].end.successors().first().copied();
        let mut fields = state.fields.iter().copied().peekable();
        while let Some(id) = fields.next() {
            let mut token = token(id);
            match self.arm.whereabouts(id) {
                Whereabouts::Here => {
                    let is_text = layout.variable(id).kind.may_borrow();
                    let method = Ident::new(if is_text { "put_text" } else { "put" }, span);
                    token.set_span(token.span().located_at(span));
                    // A moved value is saved before the await, and rustc reports its use after it.
                    let missed = next.and_then(|next| self.arm.missed_at(id, next));
                    let at = missed.unwrap_or(span);
                    let lent = Piece(|out: &mut TokenStream| {
                        add_at!(out, at, &);
                        self.split.place(&layout.variable(id).place).at(Some(at)).to_tokens(out);
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
                        .next_if(|id| self.arm.whereabouts(*id) == Whereabouts::Parked(end))
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
