//! `#[deterministic]`: a function that workflows call, checked by their rules.

use proc_macro2::TokenStream;
use syn::ItemFn;

use crate::args::DeterministicArgs;
use crate::check::check_deterministic;
use crate::diagnostics::Diagnostics;

/// Checks `item` and leaves it as it is.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let args = DeterministicArgs::parse(args, &diagnostics);
    // A function that does not parse is left to rustc, which says it better.
    if let Ok(function) = syn::parse2::<ItemFn>(item.clone()) {
        check_deterministic(&function, &args, &diagnostics);
    }
    diagnostics.finish_with(item)
}
