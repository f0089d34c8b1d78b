//! The end of a segment: the end of the workflow, or a jump to another segment.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Index};

use super::add::{Piece, add, add_at};
use super::places::{PartOf, part_of};
use super::printer::Printer;
use super::type_ties::given;
use super::variables::slot;
use super::{add, idents, state, variables};
use crate::ir::usage::{Place, Usage};
use crate::ir::{BlockId, BlockKind, Local, TargetId, span_ends};
use crate::layout::VariableId;
use crate::syntax::hygiene::{hidden, in_source};
use crate::syntax::macros::scan_names;

/// Where a variable is. See [`crate::layout::Segment::keeps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// It is a variable here.
    Here,
    /// It is as it was in the state before, at this position.
    Parked(usize),
    /// It is in its slot.
    Slot,
}

/// The variable for what the loop at this position has borrowed.
pub(super) fn lent(position: &Local) -> Option<(Ident, &Expr)> {
    let expr = position.loop_borrow.as_ref()?;
    let span = position.ident.span().located_at(expr.span());
    Some((format_ident!("{}_lent", position.ident, span = span), expr))
}

/// Jumps.
impl Printer<'_> {
    /// Ends the workflow with a value.
    pub(super) fn complete(&self, value: &impl ToTokens, span: Span) -> TokenStream {
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            let result = match self.machine.graph[self.segment.block].region {
                None => {
                    let (result, ty) = (hidden("value"), self.return_type());
                    add!(out, let #result: #ty = #value;);
                    result
                }
                Some(region) => {
                    let result = in_source("value", self.machine.graph[region].span);
                    let token = variables::value_token(region);
                    add::made(out, given(&result, &token, value));
                    result
                }
            };
            self.give_back(out, &result, span);
        });
        out
    }

    /// As [`complete`](Self::complete), where a `?` ends the workflow. If it returns what it must not, rustc says so of the
    /// `?`, and need not be told the type.
    pub(super) fn complete_by_question(&self, value: &TokenStream, span: Span) -> TokenStream {
        if self.machine.graph[self.segment.block].region.is_some() {
            return self.complete(value, span);
        }
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            self.give_back(out, value, span);
        });
        out
    }

    /// Returns the result, with what is to be dropped then in its place.
    fn give_back(&self, out: &mut TokenStream, result: &impl ToTokens, span: Span) {
        add::made(out, self.drop_untouched());
        add_at!(out, span, return __piton::Ok(#result));
    }

    /// The type of the workflow's value. What rustc says of a value of another type, it says of the type
    /// that the user has written.
    fn return_type(&self) -> TokenStream {
        let (start, end) = span_ends(self.machine.function.output.to_token_stream());
        let own = Ident::new("Self", start);
        quote_spanned!(end=> #own::Return)
    }

    pub(super) fn break_to(
        &self,
        target: TargetId,
        value: Option<&Expr>,
        span: Span,
    ) -> TokenStream {
        let target = self.machine.graph.targets[target.0];
        let Some(exit) = target.exit else { return TokenStream::new() };
        let give = match (target.dest, value) {
            (Some(dest), Some(value)) => self.give(dest, value),
            (Some(dest), None) => self.give(dest, &quote_spanned!(span=> ())),
            (None, Some(value)) => quote!({ #value }),
            (None, None) => TokenStream::new(),
        };
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            add::made(out, give);
            add::made(out, self.fill_moved_parts_for(exit));
            self.goto(out, exit);
        });
        out
    }

    pub(super) fn continue_to(&self, target: TargetId) -> TokenStream {
        let Some(head) = self.machine.graph.targets[target.0].head else {
            return TokenStream::new();
        };
        let mut out = TokenStream::new();
        add::braces(&mut out, Span::call_site(), |out| {
            add::made(out, self.fill_moved_parts_for(head));
            self.goto(out, head);
        });
        out
    }

    /// Fills the slots of a segment and jumps to it.
    pub(super) fn goto(&self, out: &mut TokenStream, to: BlockId) {
        add::made(out, self.hold(to));
        let segment = self.machine.layout.segment(to);
        let entry = segment.map(|segment| self.lent_first(&segment.entry)).unwrap_or_default();
        for id in entry {
            match self.whereabouts(id) {
                Whereabouts::Here => {
                    let slot = slot(id);
                    let value = self.handed_over(id, self.missed_at(id, to));
                    add!(out, (&mut #slot).fill(#value););
                }
                Whereabouts::Parked(position) => {
                    let (slot, position) = (slot(id), Index::from(position));
                    add!(out, (&mut #slot).pass(#position););
                }
                Whereabouts::Slot => {}
            }
        }
        state::jump(self.machine, out, to);
    }

    /// Where a variable that this segment may have used up is named after a jump: there rustc would say that it is
    /// gone.
    pub(super) fn missed_at(&self, id: VariableId, to: BlockId) -> Option<Span> {
        let graph = self.machine.graph;
        let place = &self.machine.layout.variable(id).place;
        let is_spent = |usage: &Usage| usage.spends.iter().any(|spent| spent.overlaps(place));
        let is_here = |id: &BlockId| self.machine.layout.segment_of[id.0] == self.segment.block;
        let mut here = graph.block_ids().filter(is_here);
        if !here.any(|id| graph[id].all_usages().any(is_spent)) {
            return None;
        }
        let ident = &graph.locals[place.local].ident;
        let named_in = |id: BlockId| {
            let block = &graph[id];
            if !block.all_usages().any(|usage| usage.mentions.contains(&place.local)) {
                return None;
            }
            block.code().iter().find_map(|code| named(code, ident))
        };
        let is_head = |id: &BlockId| *id <= to && graph[*id].kind == BlockKind::Head;
        let again = graph.block_ids().rev().filter(is_head);
        [to].into_iter()
            .chain(again)
            .find_map(|from| graph.block_ids().filter(|id| *id >= from).find_map(named_in))
    }

    /// Uses the borrows that are left to what begins with `to`.
    fn hold(&self, to: BlockId) -> TokenStream {
        let held = self.segment.held.get(&to).into_iter().flatten();
        held.map(|local| {
            let local = &self.machine.graph.locals[*local];
            let ident = lent(local).map_or_else(|| local.ident.clone(), |(ident, _)| ident);
            quote_spanned!(ident.span()=> let _ = &#ident;)
        })
        .collect()
    }

    /// As [`hold`](Self::hold), for what follows the suspension at the end of the block that is being
    /// printed.
    pub(super) fn hold_across(&self) -> TokenStream {
        let (block, _) = self.at.get();
        self.machine.graph[block].end.successors().into_iter().map(|to| self.hold(to)).collect()
    }

    /// Variables in the order in which they can be given away.
    pub(super) fn lent_first(&self, ids: &[VariableId]) -> Vec<VariableId> {
        let is_lent = |id: &VariableId| self.machine.layout.variable(*id).kind.may_borrow();
        let (lent, other): (Vec<_>, Vec<_>) = ids.iter().copied().partition(is_lent);
        [lent, other].concat()
    }

    /// A variable as it is given to another segment, of which rustc may say that it is `missed` somewhere. A text that is
    /// borrowed here is a text of its own there.
    pub(super) fn handed_over(&self, id: VariableId, missed: Option<Span>) -> impl ToTokens {
        let variable = self.machine.layout.variable(id);
        Piece(move |out: &mut TokenStream| {
            let at = Span::call_site();
            let at = missed.map_or(at, |missed| at.located_at(missed));
            let place = self.place(&variable.place).at(missed);
            if variable.kind.may_borrow() {
                add_at!(out, at, __piton::owned_text(&#place));
            } else {
                place.to_tokens(out);
            }
        })
    }

    /// Which of the locals of the state it is that the segment goes on from.
    pub(super) fn position(&self, id: VariableId) -> Option<usize> {
        self.segment.entry.iter().position(|entry| *entry == id)
    }

    /// Where a variable is that another segment needs.
    pub(super) fn whereabouts(&self, id: VariableId) -> Whereabouts {
        if !self.segment.keeps(id) {
            return Whereabouts::Here;
        }
        let is_resumed =
            matches!(self.machine.graph[self.segment.block].kind, BlockKind::Resume(_));
        match self.position(id) {
            Some(position) if is_resumed => Whereabouts::Parked(position),
            _ => Whereabouts::Slot,
        }
    }

    /// A place, with what it is a part of as it is here.
    pub(super) fn place<'p>(&'p self, place: &'p Place) -> PartOf<'p> {
        let part =
            self.parts_of(place.local).find(|(part, _)| place.fields.starts_with(&part.fields));
        let (ident, skip) = match part {
            Some((part, ident)) => (ident, part.fields.len()),
            None => (&self.machine.graph.locals[place.local].ident, 0),
        };
        part_of(ident, &place.fields[skip..])
    }
}

/// Where code names a variable: in the string of a macro, where the code begins.
fn named(code: &TokenStream, ident: &Ident) -> Option<Span> {
    let in_macro = || {
        let mut is_found = false;
        scan_names(code, &mut |name| is_found |= ident == name);
        is_found.then(|| span_ends(code.clone()).0)
    };
    idents::find(code, ident).map(|found| found.span()).or_else(in_macro)
}
