//! `register!`: an instance of a generic workflow, so that runs of it can be started.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{ExprPath, LitStr, Token};

use crate::codegen::type_text;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::frontend::args::parse_name;
use crate::syntax::root::parse_crate;

/// `relay::<Order>`, `relay::<Order>, name = "orders"`
struct Registration {
    function: ExprPath,
    name: Option<LitStr>,
}

impl Parse for Registration {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let function = input.parse()?;
        let mut name = None;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            match key.to_string().as_str() {
                "crate" => parse_crate(input)?,
                "name" if name.is_none() => name = Some(parse_name(input)?),
                _ => return Err(syn::Error::new(key.span(), "the options are `name` and `crate`")),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self { function, name })
    }
}

/// Registers the instance.
pub(crate) fn expand(input: TokenStream, diagnostics: Diagnostics) -> TokenStream {
    let Registration { function, name } = match syn::parse2(input) {
        Ok(registration) => registration,
        Err(error) => {
            let help = "write `register!(relay::<Order>);`, or with a stored name, \
                        `register!(relay::<Order>, name = \"orders.relay\");`";
            let text = error.to_string();
            // The error of an invalid name has a help of its own.
            let (message, help) = text.split_once("\n\n  help: ").unwrap_or((&text, help));
            diagnostics.error(error.span(), Rule::ATTRIBUTES, message, help);
            return diagnostics.finish_with(TokenStream::new());
        }
    };
    let arguments = arguments(&function);
    if arguments.is_empty() && name.is_none() {
        let written = type_text(&function);
        diagnostics.malformed(
            &function,
            format!("`{written}` is written without type arguments"),
            "write them, as in `register!(relay::<Order>)`; a workflow that is not generic \
             registers itself",
        );
        return diagnostics.finish_with(TokenStream::new());
    }
    let stored = match name {
        Some(name) => quote!(const NAME: &str = #name;),
        None => quote! {
            const LENGTH: usize = DEFINED.name.len() + #arguments.len();
            const BYTES: [u8; LENGTH] = ::piton::__private::concat(DEFINED.name, #arguments);
            const NAME: &str = ::piton::__private::text(&BYTES);
        },
    };
    let span = function.span();
    let defined = quote_spanned!(span=> ::piton::__private::entry_of(&#function));
    diagnostics.finish_with(quote! {
        const _: () = {
            const DEFINED: ::piton::__private::Registered = #defined;
            #stored
            enum Instance {}
            impl ::piton::__private::Instance for Instance {
                const REGISTERED: ::piton::__private::Registered = DEFINED.named(NAME);
            }
            ::piton::__register! { ::piton::__private::register::<Instance> }
        };
    })
}

/// The type arguments as in a stored name: `<Order, 3>`. Paths are reduced to their last segment, so that moving a type
/// to another module does not change the name.
fn arguments(function: &ExprPath) -> String {
    struct Arguments(Vec<String>);
    impl Visit<'_> for Arguments {
        fn visit_angle_bracketed_generic_arguments(
            &mut self,
            arguments: &syn::AngleBracketedGenericArguments,
        ) {
            for argument in &arguments.args {
                let mut argument = argument.clone();
                LastParts.visit_generic_argument_mut(&mut argument);
                self.0.push(type_text(&argument));
            }
        }
    }
    let mut found = Arguments(Vec::new());
    found.visit_expr_path(function);
    if found.0.is_empty() { String::new() } else { format!("<{}>", found.0.join(", ")) }
}

/// Reduces paths to their last segment.
struct LastParts;

impl VisitMut for LastParts {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if let Some(last) = path.segments.pop() {
            path.leading_colon = None;
            path.segments = std::iter::once(last).collect();
        }
        visit_mut::visit_path_mut(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suffix(path: TokenStream) -> String {
        arguments(&syn::parse2(path).expect("a path"))
    }

    #[test]
    fn stored_names_rest_on_the_types_and_not_on_their_places() {
        assert_eq!(suffix(quote!(relay)), "");
        assert_eq!(suffix(quote!(relay::<Order>)), "<Order>");
        assert_eq!(suffix(quote!(crate::jobs::relay::<crate::shop::Order>)), "<Order>");
        assert_eq!(
            suffix(quote!(relay::<Vec<(shop::Order, u8)>, 3, { 1 + 2 }>)),
            "<Vec<(Order, u8)>, 3, {1 + 2}>"
        );
        assert_eq!(suffix(quote!(Account::<Order>::settle::<u8>)), "<Order, u8>");
        assert_eq!(suffix(quote!(<Account<Order>>::settle)), "<Order>");
    }
}
