//! Saved values with a part that serde cannot save.
//!
//! ```text
//! let pair = (line.trim(), 1); f().await; use(pair)      error: `pair` contains a `&str` that may be borrowed
//! ```

use crate::collections::sets::Set;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::{Graph, LocalKind};
use crate::layout::Layout;

/// Reports saved values with a part that cannot be saved, at the first await that they are held across: a borrowed
/// `&str`, for which rustc would say that an implementation is not general enough, or an inclusive range, whose
/// exhaustion serde does not save.
pub(crate) fn report(graph: &Graph, layout: &Layout, diagnostics: &Diagnostics) {
    let mut seen = Set::new();
    for state in &layout.states {
        let places = state.fields.iter().map(|id| &layout.variable(*id).place);
        for place in places {
            let local = &graph.locals[place.local];
            if local.saving.holds_range && place.fields.is_empty() && seen.insert(place.local) {
                diagnostics.error(
                    local.ident.span(),
                    Rule::SAVED_LOCALS,
                    format!(
                        "`{}` contains an inclusive range and is held across the await of `{}`: serde does not save \
                         whether the range is exhausted",
                        local.name(), state.name
                    ),
                    "bind the range to a variable of its own, or write `a..b + 1`",
                );
            }
            let has_borrowed = local.texts_in(&place.fields).is_some()
                && local.literals_in(&place.fields).is_none();
            if has_borrowed && seen.insert(place.local) {
                let (what, help) = match local.saving.kind {
                    LocalKind::Items => (
                        "an item of this loop".to_owned(),
                        "make the text a `String` with `.to_owned()`; literals may stay as they are",
                    ),
                    _ => (
                        format!("`{}`", local.name()),
                        "make the text a `String` with `.to_owned()`, or bind it to its own variable; literals may \
                         stay as they are",
                    ),
                };
                diagnostics.error(
                    local.ident.span(),
                    Rule::SAVED_LOCALS,
                    format!(
                        "{what} contains a `&str` that may be borrowed, and is held across the await of `{}`",
                        state.name
                    ),
                    help,
                );
            }
        }
    }
}
