//! `#[activity(queue = "email", key = "{to}:{subject}")]`: the key of a call within its queue.
//!
//! ```text
//! in   key = "{to}:{subject}", on send(to: &str, subject: String)
//! out  let __piton_key = format!("{}:{}", to, subject);   // and .keyed(__piton_key) on the call
//! ```

use syn::ext::IdentExt;

use super::args::ActivityArgs;
use super::signature::ActivitySignature;
use crate::diagnostics::Diagnostics;
use crate::frontend::pattern::{Pattern, Purpose};

const PURPOSE: Purpose =
    Purpose { makes: "key", of: "activity", example: "{to}:{subject}", placeholder: "{to}" };

/// The key of calls, if the attribute has one. Reports what is wrong with it.
pub(super) fn key_of(
    args: &ActivityArgs,
    signature: &ActivitySignature<'_>,
    diagnostics: &Diagnostics,
) -> Option<Pattern> {
    let text = args.key.as_ref()?;
    if args.queue.is_none() {
        let help = "add `queue = \"…\"`: the key is the id of the call within its queue";
        diagnostics.malformed(text, "`key` has no meaning without `queue`", help);
        return None;
    }
    let names = signature.parameters.iter().map(|one| Some(one.name.unraw().to_string()));
    Pattern::of(text, &PURPOSE, &names.collect::<Vec<_>>(), diagnostics)
}
