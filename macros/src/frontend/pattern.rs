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
    /// The literal, for its span.
    literal: LitStr,
    pub(crate) pieces: Vec<Piece>,
    /// The parameters that the placeholders name, counted from 0, without repetitions.
    pub(crate) params: Vec<usize>,
}

/// A piece of a pattern.
#[derive(Debug)]
pub(crate) enum Piece {
    Text(String),
    Placeholder {
        /// The placeholder as written.
        source: String,
        /// The number of the parameter, from 0.
        param: usize,
        value: TokenStream,
    },
}

/// The use of a pattern, for messages.
pub(crate) struct Purpose {
    /// The formatted value: `workflow id`.
    pub(crate) makes: &'static str,
    /// The owner of the parameters: `workflow`.
    pub(crate) of: &'static str,
    /// An example of a pattern.
    pub(crate) example: &'static str,
    /// An example of a placeholder.
    pub(crate) placeholder: &'static str,
}

impl Pattern {
    /// Parses the pattern over parameters with these `names`. A parameter without a plain name cannot be a placeholder.
    /// Reports errors.
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
        let Some(pieces) = split(&value) else {
            let help = format!(
                "write `{placeholder}` for a placeholder, and `{{{{` or `}}}}` for a brace"
            );
            diagnostics.malformed(text, "unmatched brace in the pattern", &help);
            return None;
        };
        let mut pattern = Self { literal: text.clone(), pieces: Vec::new(), params: Vec::new() };
        for piece in pieces {
            match piece {
                Split::Text(text) => pattern.pieces.push(Piece::Text(text)),
                Split::Placeholder(it) => pattern.add(it, text, purpose, names, diagnostics)?,
            }
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
        let value = at(value.to_token_stream(), text.span());
        self.pieces.push(Piece::Placeholder {
            source: placeholder.to_owned(),
            param: index,
            value,
        });
        Some(())
    }
}

impl Pattern {
    /// The expression that formats the pattern from the parameters, so that different values have different texts.
    /// Reports adjacent placeholders.
    pub(crate) fn distinct(&self, diagnostics: &Diagnostics) -> TokenStream {
        let last = self.pieces.iter().rposition(|piece| matches!(piece, Piece::Placeholder { .. }));
        self.format(|number, value| {
            if Some(number) == last {
                return value.clone();
            }
            let Some(Piece::Text(text)) = self.pieces.get(number + 1) else {
                let message = "two placeholders of the key have no text between them";
                let help = "write one, such as `{to}:{subject}`: otherwise `ab` and `c` make the key of `a` and `bc`";
                diagnostics.malformed(&self.literal, message, help);
                return value.clone();
            };
            let separator = text.chars().next();
            quote!(::piton::__private::KeyPart::new(&#value, #separator))
        })
    }

    /// The expression that formats the pattern, with each value changed by `change`, which receives the index of its
    /// piece.
    fn format(&self, change: impl Fn(usize, &TokenStream) -> TokenStream) -> TokenStream {
        let (mut format, mut values) = (String::new(), Vec::new());
        for (number, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    format.push_str(&text.replace('{', "{{").replace('}', "}}"));
                }
                Piece::Placeholder { value, .. } => {
                    format.push_str("{}");
                    values.push(change(number, value));
                }
            }
        }
        let format = LitStr::new(&format, self.literal.span());
        quote!(::std::format!(#format, #(#values),*))
    }
}

/// The expression that formats the pattern from the parameters.
impl ToTokens for Pattern {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.format(|_, value| value.clone()));
    }
}

/// A piece of a pattern that is not parsed yet.
#[derive(Debug, PartialEq)]
enum Split<'a> {
    Text(String),
    Placeholder(&'a str),
}

/// Splits a pattern into pieces; `None` if braces do not match.
fn split(pattern: &str) -> Option<Vec<Split<'_>>> {
    let (mut pieces, mut text) = (Vec::new(), String::new());
    let mut rest = pattern;
    while let Some(brace) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(brace);
        text.push_str(before);
        if from.starts_with("{{") || from.starts_with("}}") {
            text.push_str(&from[..1]);
            rest = &from[2..];
            continue;
        }
        let inside = from.strip_prefix('{')?;
        let (placeholder, after) = inside.split_once('}')?;
        if !text.is_empty() {
            pieces.push(Split::Text(std::mem::take(&mut text)));
        }
        pieces.push(Split::Placeholder(placeholder.trim()));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Split::Text(text));
    }
    Some(pieces)
}

/// The parameter at the start of a path to a field.
fn root_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(|name| name.unraw().to_string()),
        Expr::Field(field) => match field.member {
            Member::Named(_) | Member::Unnamed(_) => root_of(&field.base),
        },
        _ => None,
    }
}

/// The tokens with the span of the pattern, where rustc reports errors.
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
        let text = |text: &str| Split::Text(text.to_owned());
        assert_eq!(
            split("order-{order.id}/{{x}}-{ n }").expect("it is one"),
            [
                text("order-"),
                Split::Placeholder("order.id"),
                text("/{x}-"),
                Split::Placeholder("n")
            ],
        );
        assert_eq!(split("plain"), Some(vec![text("plain")]));
        for broken in ["{", "a}", "{a", "{{}", "}{"] {
            assert_eq!(split(broken), None, "{broken}");
        }
    }
}
