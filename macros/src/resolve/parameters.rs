//! Parameters whose patterns borrow parts.
//!
//! ```text
//! async fn keep((ref name, n): (String, u64)) { … }
//! async fn keep(whole: (String, u64)) { let (ref name, n) = whole; … }
//! ```

use syn::ext::IdentExt;
use syn::{Block, Ident, PatType};

use crate::frontend::redact;
use crate::syntax::hygiene::hidden;
use crate::syntax::patterns::{bindings, has_ref};

/// Gives such a parameter, and those after it, which are dropped before it, a name of its own, and destructures it in
/// the body. Returns the new names with their stored names.
pub(super) fn hold(params: &mut [PatType], body: &mut Block) -> Vec<(Ident, String)> {
    let first = params.iter().position(|param| has_ref(&param.pat)).unwrap_or(params.len());
    let held = params.iter_mut().enumerate().skip(first).map(|(index, param)| {
        let ident = hidden(&format!("parameter{index}"));
        let bound = bindings(&param.pat);
        let stored = bound
            .first()
            .map_or_else(|| "unnamed".to_owned(), |name| format!("whole of {}", name.unraw()));
        let pat = std::mem::replace(&mut *param.pat, syn::parse_quote!(#ident));
        let redacted = redact::of(&param.attrs);
        body.stmts.insert(index - first, syn::parse_quote!(#redacted let #pat = #ident;));
        (ident, stored)
    });
    held.collect()
}
