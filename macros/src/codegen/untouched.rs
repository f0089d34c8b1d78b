//! Locals that a segment does not touch, and that are dropped if the workflow ends there.
//!
//! They are not loaded in every step, but only where the workflow ends. An uninitialized variable represents them:
//! assigned there, it is dropped in the order of the source; on other paths it generates no code.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Index;

use super::add::add;
use super::printer::Printer;
use super::variables::parked;
use crate::layout::VariableId;
use crate::syntax::hygiene::numbered;

impl Printer<'_> {
    /// Declares what stands for these parts of a local, unless what comes right before them stands for these, too.
    pub(super) fn declare_untouched(
        &self,
        out: &mut TokenStream,
        ids: &[VariableId],
        is_next: bool,
    ) {
        let first = ids.first().and_then(|id| self.position(*id));
        let Some(first) = first else { return };
        let end = first + ids.len();
        let mut untouched = self.untouched.borrow_mut();
        match untouched.last_mut().filter(|last| is_next && last.end == first) {
            Some(last) => last.end = end,
            None => {
                untouched.push(first..end);
                let held = held(first);
                add!(out, let #held: __piton::Untouched;);
            }
        }
    }

    /// Gives it what is to be dropped.
    pub(super) fn drop_untouched(&self) -> TokenStream {
        let parked = parked();
        let untouched = self.untouched.borrow();
        let give = untouched.iter().map(|positions| {
            let held = held(positions.start);
            let (first, end) = (Index::from(positions.start), Index::from(positions.end));
            quote!(#held = __piton::Parked::untouched(#parked, #first, #end);)
        });
        give.collect()
    }
}

fn held(first: usize) -> Ident {
    numbered("u", first)
}
