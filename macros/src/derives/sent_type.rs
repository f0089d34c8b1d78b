//! The common part of `#[derive(Signal)]` and `#[derive(Update)]`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::visit::Visit;
use syn::{Attribute, Data, DeriveInput, LitStr, Meta};

use crate::diagnostics::Diagnostics;
use crate::frontend::args::{Known, parse_name, parse_options};
use crate::syntax::root::parse_crate;

/// The kind of a sent type.
pub(crate) struct Sent {
    /// Its name, which is also the name of its attribute.
    pub(crate) word: &'static str,
    /// Its name with an article.
    pub(crate) one: &'static str,
    pub(crate) options: Known,
    /// An example of the attribute.
    pub(crate) example: &'static str,
}

/// Expands a derive.
pub(crate) fn derive(
    item: TokenStream,
    diagnostics: Diagnostics,
    implementation: fn(&DeriveInput, &Diagnostics) -> TokenStream,
) -> TokenStream {
    let output = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => implementation(&input, &diagnostics),
        Err(error) => {
            diagnostics.push(error);
            TokenStream::new()
        }
    };
    diagnostics.finish_with(output)
}

impl Sent {
    /// Reports unsupported types. Returns whether the type is supported.
    pub(crate) fn check(&self, input: &DeriveInput, diagnostics: &Diagnostics) -> bool {
        let Self { word, one, .. } = self;
        if let Data::Union(data) = &input.data {
            diagnostics.malformed(
                data.union_token,
                format!("a union cannot be {one}"),
                &format!("make it a struct or an enum: {word}s are stored through serde"),
            );
            return false;
        }
        self.refuse_inner(&input.data, diagnostics);
        if !input.generics.params.is_empty() {
            diagnostics.malformed(
                &input.generics.params,
                format!("the {word} `{}` is generic", input.ident),
                &format!(
                    "{one} is found by its stored name, so its type must be fixed: write one struct for each kind of \
                     {word}"
                ),
            );
            return false;
        }
        true
    }

    /// Reports options on fields and variants, where they have no meaning.
    fn refuse_inner(&self, data: &Data, diagnostics: &Diagnostics) {
        struct Inner<'a>(&'a str, &'a Diagnostics);
        impl<'ast> Visit<'ast> for Inner<'_> {
            fn visit_attribute(&mut self, attribute: &'ast Attribute) {
                if attribute.path().is_ident(self.0) {
                    let message =
                        format!("`#[{}]` must be on the type, not on a field or variant", self.0);
                    self.1.malformed(attribute, message, "put it on the type");
                }
            }
        }
        Inner(self.word, diagnostics).visit_data(data);
    }

    /// Parses the options of the attribute; `read` parses those of one derive. Returns the stored name.
    pub(crate) fn options(
        &self,
        ident: &Ident,
        attributes: &[Attribute],
        diagnostics: &Diagnostics,
        mut read: impl FnMut(&Ident, ParseStream) -> syn::Result<()>,
    ) -> LitStr {
        let mut name = LitStr::new(&ident.unraw().to_string(), ident.span());
        let own = attributes.iter().filter(|attribute| attribute.path().is_ident(self.word));
        for (index, attribute) in own.enumerate() {
            if index > 0 {
                let message = format!("`#[{}]` is given twice", self.word);
                diagnostics.malformed(attribute, message, "remove one of them");
                continue;
            }
            match &attribute.meta {
                Meta::List(list) => {
                    let tokens = list.tokens.clone();
                    parse_options(tokens, diagnostics, self.options, |key, input| {
                        match key.to_string().as_str() {
                            "crate" => parse_crate(input),
                            "name" => {
                                name = parse_name(input)?;
                                Ok(())
                            }
                            _ => read(key, input),
                        }
                    });
                }
                other => diagnostics.malformed(
                    other.to_token_stream(),
                    "expected options",
                    &format!("write `{}`", self.example),
                ),
            }
        }
        name
    }
}
