//! Activities in `impl` blocks.
//!
//! ```text
//! impl Shop {
//!     #[activity]
//!     async fn charge(&self, cents: u64) -> Result<Receipt, Declined> { … }
//! }
//!
//! // becomes
//!
//! impl Shop {
//!     fn charge(&self, cents: u64) -> ActivityCall<impl Activity<…>> {
//!         enum charge {}
//!         impl Activity for charge { … }
//!         …
//!     }
//!     async fn call_charge(&self, cents: u64) -> Result<Receipt, Declined> { … }
//! }
//! ```
//!
//! An `impl` block cannot contain types beside a function, so the type of the activity is inside the function that
//! creates the call, and cannot be named. The body stays in the block, where `Self` is valid.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::visit_mut::VisitMut;
use syn::{ItemImpl, Path, Signature, Type};

use super::args::ActivityArgs;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::frontend::method::{Kind, block_around, type_of};
use crate::frontend::substitute::Substitute;

/// The `impl` block of an activity that is a method.
pub(super) struct Method {
    /// The type of the block, as a path.
    path: Path,
    /// The type of the block.
    pub(super) owner: Type,
    /// A reference to the type.
    pub(super) reference: Type,
}

impl Method {
    /// Finds the block around the function, unless `block` is given. Reports blocks that cannot have activities.
    pub(super) fn find(
        signature: &Signature,
        block: Option<&ItemImpl>,
        diagnostics: &Diagnostics,
    ) -> Result<Option<Self>, ()> {
        let found;
        let block = match block {
            Some(block) => block,
            None => match block_around(signature, Kind::ACTIVITY, diagnostics)? {
                Some(block) => {
                    found = block;
                    &found
                }
                None => return Ok(None),
            },
        };
        let path = type_of(block, &signature.ident, Kind::ACTIVITY, diagnostics).ok_or(())?;
        if !block.generics.params.is_empty() {
            diagnostics.error(
                signature.ident.span(),
                Rule::ACTIVITY_SIGNATURE,
                "an activity cannot be in a generic `impl` block",
                "an activity is found by its stored name, so its types must be fixed: put it into an \
                 `impl` block of one type, such as `impl Shop<Euro>`",
            );
            return Err(());
        }
        let owner = syn::parse_quote!(#path);
        let reference = syn::parse_quote!(&#owner);
        Ok(Some(Self { path, owner, reference }))
    }

    /// The stored name, unless the attribute gives another.
    pub(super) fn stored_name(&self, function: &Ident) -> String {
        let of_type = self.path.segments.last().map(|last| last.ident.to_string());
        format!("{}::{function}", of_type.unwrap_or_default())
    }

    /// The name of the function with the body of `function`.
    pub(super) fn body_name(function: &Ident) -> Ident {
        format_ident!("call_{}", function.unraw(), span = function.span())
    }

    /// The path of that function.
    pub(super) fn body(&self, function: &Ident) -> TokenStream {
        let (path, name) = (&self.path, Self::body_name(function));
        quote!(#path::#name)
    }

    /// Replaces `Self` in the parts that the generated function contains.
    pub(super) fn write_out_self(&self, signature: &mut Signature, args: &mut ActivityArgs) {
        let mut substitute =
            Substitute { path: self.path.clone(), this: None, unclear: Vec::new() };
        substitute.visit_signature_mut(signature);
        for pattern in &mut args.retry.non_retryable {
            substitute.visit_pat_mut(pattern);
        }
    }
}
