//! `#[workflow(id = "order-{order.id}")]`: the workflow id of a run that is started without another.
//!
//! ```text
//! in   id = "order-{order.id}", on fulfill(order: Order, rush: bool)
//! out  impl fulfill { fn workflow_id(order: &Order) -> String { format!("order-{}", order.id) } }
//!      and in the call: workflow_id: Some(fulfill::workflow_id(&order))
//! ```

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, LitStr, Member, Token, Type};

use crate::diagnostics::Diagnostics;
use crate::frontend::parse::WorkflowFn;

/// A pattern whose placeholders are parameters of the workflow and their fields.
#[derive(Debug)]
pub(crate) struct IdPattern {
    /// The pattern with `{}` for each placeholder.
    format: LitStr,
    /// What stands in them.
    values: Vec<TokenStream>,
    /// The numbers of the parameters that they name, from 0, each once.
    params: Vec<usize>,
}

/// Reads `= "…"`.
pub(crate) fn parse_id(input: ParseStream) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

impl IdPattern {
    /// The pattern for calls of this function. Reports what is wrong with it.
    pub(crate) fn of(
        text: &LitStr,
        function: &WorkflowFn,
        diagnostics: &Diagnostics,
    ) -> Option<Self> {
        if function.method.is_some() || !function.parameters.is_empty() {
            let message = "`id` is not supported on generic workflows and methods";
            let help = "remove the option, and set the id where the run is started: `client.start(call).id(…)`";
            diagnostics.malformed(text, message, help);
            return None;
        }
        let value = text.value();
        if value.is_empty() {
            let help = "write a pattern such as `order-{order.id}`, or remove the option";
            diagnostics.malformed(text, "a workflow id cannot be empty", help);
            return None;
        }
        let Some((format, placeholders)) = split(&value) else {
            let message = "unmatched brace in the pattern";
            let help = "write `{order.id}` for a placeholder, and `{{` or `}}` for a brace";
            diagnostics.malformed(text, message, help);
            return None;
        };
        let mut pattern = Self {
            format: LitStr::new(&format, text.span()),
            values: Vec::new(),
            params: Vec::new(),
        };
        for placeholder in placeholders {
            pattern.add(placeholder, text, function, diagnostics)?;
        }
        pattern.params.sort_unstable();
        pattern.params.dedup();
        Some(pattern)
    }

    fn add(
        &mut self,
        placeholder: &str,
        text: &LitStr,
        function: &WorkflowFn,
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
        let names = || function.params.iter().map(|param| name_of(&param.pat));
        let Some(index) = names().position(|name| name.as_deref() == Some(&root)) else {
            let known: Vec<String> = names().flatten().map(|name| format!("`{name}`")).collect();
            let message = format!("the workflow has no parameter `{root}`");
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

    /// The function that makes the id of arguments.
    pub(crate) fn function(&self, function: &WorkflowFn) -> TokenStream {
        let WorkflowFn { vis, ident, .. } = function;
        let Self { format, values, .. } = self;
        let params = self.params.iter().map(|index| {
            let param = &function.params[*index];
            let (name, ty): (_, &Type) = (&param.pat, &param.ty);
            quote!(#name: &#ty)
        });
        let doc = format!(
            "The workflow id of a run of `{}` that is started without another.",
            ident.unraw()
        );
        quote! {
            impl #ident {
                #[doc = #doc]
                #[allow(dead_code, unused_mut)]
                #vis fn workflow_id(#(#params),*) -> ::std::string::String {
                    ::std::format!(#format, #(#values),*)
                }
            }
        }
    }

    /// What makes the id in the call, whose parameters have these `names`.
    pub(crate) fn call(&self, ident: &Ident, names: &[Ident]) -> TokenStream {
        let arguments = self.params.iter().map(|index| &names[*index]);
        quote!(#ident::workflow_id(#(&#arguments),*))
    }
}

/// The pattern with `{}` for each placeholder, and the placeholders; nothing if a brace has no other.
pub(crate) fn split(pattern: &str) -> Option<(String, Vec<&str>)> {
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
pub(crate) fn root_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(|name| name.unraw().to_string()),
        Expr::Field(field) => match field.member {
            Member::Named(_) | Member::Unnamed(_) => root_of(&field.base),
        },
        _ => None,
    }
}

fn name_of(pat: &syn::Pat) -> Option<String> {
    match pat {
        syn::Pat::Ident(pat) if pat.subpat.is_none() => Some(pat.ident.unraw().to_string()),
        _ => None,
    }
}

/// The same tokens, all of them where the pattern is written: rustc reports there what is wrong with them.
pub(crate) fn at(tokens: TokenStream, span: Span) -> TokenStream {
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
