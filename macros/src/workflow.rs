//! The pipeline of passes behind `#[workflow]`.

use proc_macro2::TokenStream;

use crate::args::WorkflowArgs;
use crate::check::check_body;
use crate::diagnostics::Diagnostics;

/// Compiles `item`. If anything is wrong with it, gives the errors and the item as it was.
pub(crate) fn expand(
    args: WorkflowArgs,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    if let Ok(function) = syn::parse2::<syn::ItemFn>(item.clone()) {
        check_body(&function.sig, &function.block, &args, &diagnostics);
    }
    diagnostics.finish_with(item)
}
