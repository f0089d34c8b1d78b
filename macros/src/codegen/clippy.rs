//! Clippy lints, which generated code names only when it is compiled by clippy, because parsing their names takes
//! rustc time in every function.

use std::env;
use std::sync::LazyLock;

use proc_macro2::TokenStream;

/// Whether the compiler that has loaded the macros is clippy's.
static IS_CLIPPY: LazyLock<bool> = LazyLock::new(|| {
    let program = env::current_exe().ok();
    let name = program.as_deref().and_then(|program| program.file_stem());
    name.is_some_and(|name| name.to_string_lossy().contains("clippy"))
});

/// Tokens that are emitted only for clippy.
pub(crate) fn only(tokens: impl FnOnce() -> TokenStream) -> Option<TokenStream> {
    IS_CLIPPY.then(tokens)
}
