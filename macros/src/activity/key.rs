//! `#[activity(queue = "email", key = "{to}:{subject}")]`: the id of a call within its queue.
//!
//! ```text
//! in   key = "{to}:{subject}", on send(to: &str, subject: String)
//! out  let __piton_key = format!("{}:{}", to, subject);   // and .keyed(__piton_key) on the call
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Expr, LitStr};

use super::args::ActivityArgs;
use super::signature::ActivitySignature;
use crate::diagnostics::Diagnostics;
use crate::frontend::id_pattern::{at, root_of, split};

/// A pattern whose placeholders are parameters of the activity and their fields.
#[derive(Debug)]
pub(super) struct ItemKey {
    /// The pattern with `{}` for each placeholder.
    format: LitStr,
    /// What stands in them.
    values: Vec<TokenStream>,
}

impl ItemKey {
    /// The key of calls, if the attribute has one. Reports what is wrong with it.
    pub(super) fn of(
        args: &ActivityArgs,
        signature: &ActivitySignature<'_>,
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        let text = args.key.as_ref()?;
        if args.queue.is_none() {
            let help = "add `queue = \"…\"`: the key is the id of the call within its queue";
            diagnostics.malformed(text, "`key` has no meaning without `queue`", help);
            return None;
        }
        let value = text.value();
        if value.is_empty() {
            let help = "write a pattern such as `{to}:{subject}`, or remove the option";
            diagnostics.malformed(text, "a key cannot be empty", help);
            return None;
        }
        let Some((format, placeholders)) = split(&value) else {
            let help = "write `{to}` for a placeholder, and `{{` or `}}` for a brace";
            diagnostics.malformed(text, "unmatched brace in the pattern", help);
            return None;
        };
        let mut key = Self { format: LitStr::new(&format, text.span()), values: Vec::new() };
        for placeholder in placeholders {
            key.add(placeholder, text, signature, diagnostics)?;
        }
        Some(key)
    }

    fn add(
        &mut self,
        placeholder: &str,
        text: &LitStr,
        signature: &ActivitySignature<'_>,
        diagnostics: &Diagnostics,
    ) -> Option<()> {
        let value = syn::parse_str::<Expr>(placeholder).ok();
        let Some(root) = value.as_ref().and_then(root_of) else {
            let message =
                format!("`{{{placeholder}}}` is neither a parameter nor a field of a parameter");
            let help = "write a parameter, or a path to a field such as `{order.customer.id}`";
            diagnostics.malformed(text, message, help);
            return None;
        };
        let names = || signature.parameters.iter().map(|one| one.name.unraw().to_string());
        if !names().any(|name| name == root) {
            let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            let message = format!("the activity has no parameter `{root}`");
            let help = match known.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", known.join(", ")),
            };
            diagnostics.malformed(text, message, &help);
            return None;
        }
        self.values.push(at(value.to_token_stream(), text.span()));
        Some(())
    }
}

/// The expression that makes the key where the parameters are.
impl ToTokens for ItemKey {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { format, values } = self;
        tokens.extend(quote!(::std::format!(#format, #(#values),*)));
    }
}
