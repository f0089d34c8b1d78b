//! `#[activity]`: an `async fn` that a workflow can call.
//!
//! ```text
//! #[activity(start_to_close = "30s")]
//! pub async fn charge(order: &str, cents: u64) -> Result<Receipt, Declined> { … }
//!
//! // becomes
//!
//! pub enum charge {}                                         // the type: `<charge as Activity>`
//! pub fn charge(order: &str, cents: u64) -> ActivityCall<charge> { … }
//! impl charge { pub async fn call(order: &str, cents: u64) -> Result<Receipt, Declined> { … } }
//! impl Activity for charge { … }                             // and reads the arguments, calls, registers
//! ```
//!
//! Within an `impl` block, all items but the body are inside the function; see [`method`].
//!
//! The body is kept token for token, even if it does not parse: rustc then reports the syntax error, and the items
//! around it keep their types.

mod args;
mod entry;
mod function;
mod generate;
mod method;
mod placement;
mod signature;
#[cfg(test)]
mod tests;
mod types;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemFn, ItemImpl};

use crate::activity::args::ActivityArgs;
use crate::activity::function::ActivityFn;
use crate::activity::generate::refused;
use crate::activity::method::Method;
use crate::activity::placement::Placement;
use crate::activity::signature::ActivitySignature;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::frontend::method::Kind;
use crate::frontend::{conditions, method as blocks};

/// Compiles `item`, a function or an `impl` block with functions. On an error, returns the errors and a function with
/// the same signature, so that its callers have no further errors.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    if let Ok(block) = syn::parse2::<ItemImpl>(item.clone()) {
        return blocks::each(block, args, Kind::ACTIVITY, diagnostics, |args, function, head| {
            expand_function(args, function, Some(head), Diagnostics::new())
        });
    }
    expand_function(args, item, None, diagnostics)
}

/// Compiles a function. `block` is the head of the `impl` block that contains it.
fn expand_function(
    args: TokenStream,
    item: TokenStream,
    block: Option<&ItemImpl>,
    diagnostics: Diagnostics,
) -> TokenStream {
    let attribute = quote!(::piton::activity(#args));
    let mut args = ActivityArgs::parse(args, &diagnostics);
    let function = match syn::parse2::<ActivityFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            match syn::parse2::<Item>(item.clone()) {
                Ok(Item::Verbatim(_)) | Err(_) => diagnostics.push(error),
                Ok(_) => diagnostics.error_at(
                    item.clone().into_iter().next(),
                    Rule::ACTIVITY_SIGNATURE,
                    "`#[activity]` can only be applied to functions and `impl` blocks",
                    "put it on an `async fn`, or on an `impl` block that has such functions",
                ),
            }
            return diagnostics.finish_with(item);
        }
    };
    if !diagnostics.has_errors()
        && function.has_conditional_parameters()
        && let Ok(mut function) = syn::parse2::<ItemFn>(item.clone())
        && let Some(both) = conditions::split(&mut function, &attribute)
    {
        return diagnostics.finish_with(both);
    }
    // An error in the attribute leaves the activity's types intact, so that workflows that call it have no further
    // errors.
    let argument_errors = diagnostics.take_errors();
    let method = Method::find(&function.signature, block, &diagnostics);
    // rustc reports `self` outside a block.
    let is_stray = matches!(method, Ok(None)) && function.signature.receiver().is_some();
    let Ok(method) = method else {
        // In a trait, the signature must stay as declared.
        return diagnostics.finish_with(quote!(#item #argument_errors));
    };
    if is_stray {
        return diagnostics.finish_with(quote!(#item #argument_errors));
    }
    let mut inside = function.signature.clone();
    if let Some(method) = &method {
        method.write_out_self(&mut inside, &mut args);
    }
    let signature = ActivitySignature::parse(&inside, method.as_ref(), &args, &diagnostics);
    let placement = Placement::of(&args, &signature, &diagnostics);
    signature.check_patterns(&args.retry.non_retryable, &diagnostics);
    if diagnostics.has_errors() {
        return refused(&function, method.is_some(), &argument_errors, diagnostics);
    }
    let mut output = generate::generate(&args, &function, method.as_ref(), &signature, &placement);
    output.extend(argument_errors);
    diagnostics.finish_with(output)
}
