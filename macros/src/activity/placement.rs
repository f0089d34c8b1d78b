//! `#[activity(queue = "email", key = "{to}:{subject}", partition = "{tenant}")]`: the place of a call on its queue.
//!
//! ```text
//! in   key = "{to}:{subject}", on send(to: &str, subject: String)
//! out  let __piton_key = format!("{}:{}", KeyPart::new(&to, ':'), subject);   // and .keyed(__piton_key) on the call
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::LitStr;
use syn::ext::IdentExt;

use super::args::ActivityArgs;
use super::signature::ActivitySignature;
use crate::diagnostics::Diagnostics;
use crate::frontend::pattern::{Pattern, Purpose};

const KEY: Purpose =
    Purpose { makes: "key", of: "activity", example: "{to}:{subject}", placeholder: "{to}" };

const PARTITION: Purpose =
    Purpose { makes: "partition", of: "activity", example: "{tenant}", placeholder: "{tenant}" };

/// The patterns of an activity on a queue.
#[derive(Debug)]
pub(super) struct Placement {
    /// The key of a call: the pattern, and the expression that formats it.
    key: Option<(Pattern, TokenStream)>,
    /// The partition of a call.
    partition: Option<Pattern>,
}

impl Placement {
    /// Parses the patterns of the attribute. Reports errors.
    pub(super) fn of(
        args: &ActivityArgs,
        signature: &ActivitySignature<'_>,
        diagnostics: &Diagnostics,
    ) -> Self {
        let names = signature.parameters.iter().map(|one| Some(one.name.unraw().to_string()));
        let names: Vec<_> = names.collect();
        let pattern = |text: &Option<LitStr>, purpose: &Purpose, help: &str| {
            let text = text.as_ref()?;
            if args.queue.is_none() {
                let message = format!("`{}` has no meaning without `queue`", purpose.makes);
                diagnostics.malformed(text, message, help);
                return None;
            }
            Pattern::of(text, purpose, &names, diagnostics)
        };
        let of_key = "add `queue = \"…\"`: the key is the id of the call within its queue";
        let of_partition = "add `queue = \"…\"`: its partitions take turns";
        let key = pattern(&args.key, &KEY, of_key);
        Self {
            key: key.map(|key| {
                let made = key.distinct(diagnostics);
                (key, made)
            }),
            partition: pattern(&args.partition, &PARTITION, of_partition),
        }
    }

    /// The parameters in the patterns. They count as used even if the body does not name them.
    pub(super) fn named<'a>(&self, signature: &'a ActivitySignature<'_>) -> Vec<&'a Ident> {
        let key = self.key.iter().map(|(pattern, _)| pattern);
        let params = key.chain(&self.partition).flat_map(|pattern| &pattern.params);
        params.map(|index| &signature.parameters[*index].name).collect()
    }

    /// The statements before the call, which may move its arguments, and the method calls on it.
    pub(super) fn tokens(&self) -> (TokenStream, TokenStream) {
        let key = self.key.iter().map(|(_, made)| quote!(let __piton_key = #made;));
        let keyed = self.key.iter().map(|_| quote!(.keyed(__piton_key)));
        let partition = self.partition.iter().map(|one| quote!(let __piton_partition = #one;));
        let within = self.partition.iter().map(|_| quote!(.within(__piton_partition)));
        (quote!(#(#key)* #(#partition)*), quote!(#(#keyed)* #(#within)*))
    }
}
