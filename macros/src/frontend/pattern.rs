//! Patterns with placeholders, such as `"order-{order.id}"`: the id of a run, the key of a call.
//!
//! ```text
//! in   "{to}:{order.id}", with the parameters to and order
//! out  format!("{}:{}", to, order.id), which names the parameters 0 and 1
//! ```

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Expr, LitStr, Member};

use crate::diagnostics::Diagnostics;

/// A pattern whose placeholders are parameters and their fields.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The pattern with `{}` for each placeholder.
    format: LitStr,
    /// What stands in them.
    values: Vec<TokenStream>,
    /// The numbers of the parameters that they name, from 0, each once.
    pub(crate) params: Vec<usize>,
}

/// What a pattern is for, in messages.
pub(crate) struct Purpose {
    /// What it makes: `workflow id`.
    pub(crate) makes: &'static str,
    /// Whose parameters it names: `workflow`.
    pub(crate) of: &'static str,
    /// A pattern to write.
    pub(crate) example: &'static str,
    /// A placeholder to write.
    pub(crate) placeholder: &'static str,
}

impl Pattern {
    /// The pattern over parameters with these `names`; one that is no name cannot be a placeholder. Reports what is wrong
    /// with it.
    pub(crate) fn of(
        text: &LitStr,
        purpose: &Purpose,
        names: &[Option<String>],
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        let Purpose { makes, example, placeholder, .. } = purpose;
        let value = text.value();
        if value.is_empty() {
            let help = format!("write a pattern such as `{example}`, or remove the option");
            diagnostics.malformed(text, format!("a {makes} cannot be empty"), &help);
            return None;
        }
        let Some((format, placeholders)) = split(&value) else {
            let help = format!(
                "write `{placeholder}` for a placeholder, and `{{{{` or `}}}}` for a brace"
            );
            diagnostics.malformed(text, "unmatched brace in the pattern", &help);
            return None;
        };
        let format = LitStr::new(&format, text.span());
        let mut pattern = Self { format, values: Vec::new(), params: Vec::new() };
        for placeholder in placeholders {
            pattern.add(placeholder, text, purpose, names, diagnostics)?;
        }
        pattern.params.sort_unstable();
        pattern.params.dedup();
        Some(pattern)
    }

    fn add(
        &mut self,
        placeholder: &str,
        text: &LitStr,
        purpose: &Purpose,
        names: &[Option<String>],
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
        let Some(index) = names.iter().position(|name| name.as_deref() == Some(&root)) else {
            let known: Vec<String> =
                names.iter().flatten().map(|name| format!("`{name}`")).collect();
            let message = format!("the {} has no parameter `{root}`", purpose.of);
            let help = match known.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", known.join(", ")),
            };
            diagnostics.malformed(text, message, &help);
            return None;
        };
        self.params.push(index);
        self.values.push(at(value.to_token_stream(), text.span()));
        Some(())
    }
}

/// The expression that makes the text where the parameters are.
impl ToTokens for Pattern {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { format, values, .. } = self;
        tokens.extend(quote!(::std::format!(#format, #(#values),*)));
    }
}

/// The pattern with `{}` for each placeholder, and the placeholders; nothing if a brace has no other.
fn split(pattern: &str) -> Option<(String, Vec<&str>)> {
    let (mut format, mut placeholders) = (String::new(), Vec::new());
    let mut rest = pattern;
    while let Some(brace) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(brace);
        format.push_str(before);
        if from.starts_with("{{") || from.starts_with("}}") {
            format.push_str(&from[..2]);
            rest = &from[2..];
            continue;
        }
        let inside = from.strip_prefix('{')?;
        let (placeholder, after) = inside.split_once('}')?;
        format.push_str("{}");
        placeholders.push(placeholder.trim());
        rest = after;
    }
    format.push_str(rest);
    Some((format, placeholders))
}

/// The name at the beginning of a path to a field.
fn root_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(|name| name.unraw().to_string()),
        Expr::Field(field) => match field.member {
            Member::Named(_) | Member::Unnamed(_) => root_of(&field.base),
        },
        _ => None,
    }
}

/// The same tokens, all of them where the pattern is written: rustc reports there what is wrong with them.
fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let respanned = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), at(group.stream(), span)).into();
        }
        token.set_span(span);
        token
    });
    respanned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_split() {
        let (format, placeholders) = split("order-{order.id}/{{x}}-{ n }").expect("it is one");
        assert_eq!((&*format, &placeholders[..]), ("order-{}/{{x}}-{}", &["order.id", "n"][..]));
        assert_eq!(split("plain"), Some(("plain".to_owned(), Vec::new())));
        for broken in ["{", "a}", "{a", "{{}", "}{"] {
            assert_eq!(split(broken), None, "{broken}");
        }
    }
}
