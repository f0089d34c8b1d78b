//! The enum of states.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Machine;
use crate::layout::{inner_variant, is_entered_within};

/// The name of the enum. It stands beside the user's types, so it is not one that they use.
pub(super) fn type_name() -> Ident {
    Ident::new("__PitonState", Span::call_site())
}

/// The enum: a variant for each place where the machine parks, and for each arm that is entered within a
/// step. The locals that a state keeps are
/// not fields of its variant but bytes of its frame, because what is generated for each field of
/// each state would take rustc longer than everything else.
pub(super) fn state(machine: &Machine<'_>) -> TokenStream {
    let layout = machine.layout;
    let name = type_name();
    let variants = layout.states.iter().map(|state| &state.variant);
    let documented = layout.states.iter().map(|state| {
        let variant = &state.variant;
        let fields: Vec<_> = match state.point {
            None => vec!["arguments".to_owned()],
            Some(_) => {
                let stored = state.fields.iter().map(|id| layout.variable(*id).stored.clone());
                stored.collect()
            }
        };
        let doc = format!(" Keeps: {}.", fields.join(", "));
        let doc = (!fields.is_empty()).then(|| quote!(#[doc = #doc]));
        quote!(#doc #variant,)
    });
    let documented: TokenStream = documented.collect();
    let roots = layout.roots.iter().map(|root| root.block);
    let inner = roots.filter(|root| is_entered_within(machine.graph, *root)).map(inner_variant);
    quote! {
        enum #name { #documented #(#inner),* }

        impl #name {
            const ALL: &'static [Self] = &[#(Self::#variants),*];
        }
    }
}
