//! Locals that a segment does not touch, and that are dropped if the workflow ends there.
//!
//! They are not loaded in every step, but only where the workflow ends. An uninitialized variable represents them:
//! assigned there, it is dropped in the order of the source; on other paths it generates no code.

use std::ops::Range;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Index;

use super::add::add;
use super::variables::parked;
use crate::syntax::hygiene::numbered;

/// The positions of untouched locals in the state that a segment resumes, one range per variable.
#[derive(Default)]
pub(super) struct Untouched(Vec<Range<usize>>);

impl Untouched {
    /// Declares a variable for these positions, unless they are `adjacent` to the last ones: nothing has been declared in
    /// between, so one variable represents both.
    pub(super) fn declare(&mut self, out: &mut TokenStream, at: Range<usize>, adjacent: bool) {
        match self.0.last_mut().filter(|last| adjacent && last.end == at.start) {
            Some(last) => last.end = at.end,
            None => {
                let variable = variable(at.start);
                self.0.push(at);
                add!(out, let #variable: __piton::Untouched;);
            }
        }
    }

    /// Assigns the variables, so that the locals are dropped at the ends of their scopes.
    pub(super) fn drop_all(&self) -> TokenStream {
        let parked = parked();
        let give = self.0.iter().map(|positions| {
            let variable = variable(positions.start);
            let (first, end) = (Index::from(positions.start), Index::from(positions.end));
            quote!(#variable = __piton::Parked::untouched(#parked, #first, #end);)
        });
        give.collect()
    }
}

fn variable(first: usize) -> Ident {
    numbered("u", first)
}
