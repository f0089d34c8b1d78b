//! An activity as written.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, Signature, Visibility};

/// The parts of the function; its body need not parse.
pub(super) struct ActivityFn {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) signature: Signature,
    /// Not parsed.
    pub(super) body: TokenStream,
}

impl Parse for ActivityFn {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl ActivityFn {
    /// Whether `#[cfg]` decides which parameters there are.
    pub(super) fn has_conditional_parameters(&self) -> bool {
        let attributes = |input: &FnArg| match input {
            FnArg::Receiver(input) => input.attrs.clone(),
            FnArg::Typed(input) => input.attrs.clone(),
        };
        self.signature
            .inputs
            .iter()
            .flat_map(attributes)
            .any(|attribute| ["cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name)))
    }

    /// Attributes that every item of the expansion needs.
    pub(super) fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
    }

    /// Attributes for the visible items: the function and the type.
    pub(super) fn outer_attributes(&self) -> impl Iterator<Item = &Attribute> {
        const OUTER: [&str; 6] = ["doc", "cfg", "deprecated", "allow", "warn", "deny"];
        self.attributes
            .iter()
            .filter(|attribute| OUTER.iter().any(|name| attribute.path().is_ident(name)))
    }

    /// Attributes for the function with the body.
    pub(super) fn body_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| {
            !["doc", "deprecated"].iter().any(|name| attribute.path().is_ident(name))
        })
    }
}
