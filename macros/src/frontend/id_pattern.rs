//! `#[workflow(id = "order-{order.id}")]`: the default workflow id of a run.
//!
//! ```text
//! in   id = "order-{order.id}", on fulfill(order: Order, rush: bool)
//! out  impl fulfill { fn workflow_id(order: &Order) -> String { format!("order-{}", order.id) } }
//!      and in the call: workflow_id: Some(fulfill::workflow_id(&order))
//!      and in the workflow: const ID: the pattern as data, for starts without code
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{LitStr, PatType, Token, Type};

use crate::diagnostics::Diagnostics;
use crate::frontend::parse::WorkflowFn;
use crate::frontend::pattern::{Pattern, Piece, Purpose};

const PURPOSE: Purpose = Purpose {
    makes: "workflow id",
    of: "workflow",
    example: "order-{order.id}",
    placeholder: "{order.id}",
};

/// The pattern of the default workflow ids.
#[derive(Debug)]
pub(crate) struct IdPattern(Pattern);

/// Parses `= "…"`.
pub(crate) fn parse_id(input: ParseStream) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

impl IdPattern {
    /// The pattern with parameters of this function. Reports errors.
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
        let names: Vec<_> = function.params.iter().map(|param| name_of(&param.pat)).collect();
        Pattern::of(text, &PURPOSE, &names, diagnostics).map(Self)
    }

    /// Whether the pattern names this parameter, counted from 0.
    pub(crate) fn names(&self, index: usize) -> bool {
        self.0.params.contains(&index)
    }

    /// The function that formats the id from arguments.
    pub(crate) fn function(&self, function: &WorkflowFn) -> TokenStream {
        let WorkflowFn { vis, ident, .. } = function;
        let Self(pattern) = self;
        let params = pattern.params.iter().map(|index| {
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
                    #pattern
                }
            }
        }
    }

    /// The constant with the pattern as data, for a scope with `__piton`.
    pub(crate) fn constant(&self, function: &WorkflowFn) -> TokenStream {
        let pieces = self.0.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => quote!(.text(#text)),
            Piece::Placeholder { source, param, value } => {
                let PatType { pat, ty, .. } = &function.params[*param];
                let number = *param as u32;
                // The closure's parameter is a reference.
                let part = if source.contains('.') { quote!(&#value) } else { quote!(&*#value) };
                quote! {
                    .placeholder(
                        #source,
                        #number,
                        __piton::TypeOf::<#ty>::new().names_of(|#pat| #part),
                    )
                }
            }
        });
        quote! {
            #[allow(unused_mut)]
            const ID: __piton::Option<fn() -> __piton::IdPattern> = __piton::Some(|| {
                #[allow(unused_imports)]
                use __piton::FieldNames as _;
                __piton::IdPattern::new() #(#pieces)*
            });
        }
    }

    /// The expression of the id in a call whose parameters have these `names`.
    pub(crate) fn call(&self, ident: &Ident, names: &[Ident]) -> TokenStream {
        let arguments = self.0.params.iter().map(|index| &names[*index]);
        quote!(#ident::workflow_id(#(&#arguments),*))
    }
}

fn name_of(pat: &syn::Pat) -> Option<String> {
    match pat {
        syn::Pat::Ident(pat) if pat.subpat.is_none() => Some(pat.ident.unraw().to_string()),
        _ => None,
    }
}
