//! The enum of states, and how it is written and read.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Machine;
use crate::layout::{Layout, State, VariableId};

/// The name of the enum. It stands beside the user's types, so it is not one that they use.
pub(super) fn type_name() -> Ident {
    Ident::new("__PitonState", Span::call_site())
}

/// The enum and its `MachineState`.
pub(super) fn state(machine: &Machine<'_>) -> TokenStream {
    let layout = machine.layout;
    let name = type_name();
    let mut variants = TokenStream::new();
    let mut indexes = TokenStream::new();
    let mut writes = TokenStream::new();
    let mut reads = TokenStream::new();
    for (number, state) in layout.states.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let variant = &state.variant;
        let fields = fields(layout, state);
        variants.extend(quote!(#variant { #(#fields: ::piton::__private::Saved),* },));
        indexes.extend(quote!(Self::#variant { .. } => #number,));
        writes.extend(quote! {
            Self::#variant { #(#fields),* } => { #(frame.local(#fields);)* }
        });
        reads.extend(quote!(#number => Self::#variant { #(#fields: frame.local()?),* },));
    }
    quote! {
        #[allow(unreachable_pub)]
        pub enum #name { #variants }

        impl ::piton::__private::MachineState for #name {
            fn index(&self) -> u32 {
                match self { #indexes }
            }

            fn write(&self, frame: &mut ::piton::__private::FrameWriter) {
                match self { #writes }
            }

            fn read(
                frame: &mut ::piton::__private::FrameReader,
            ) -> ::core::result::Result<Self, ::piton::__private::StepError> {
                ::core::result::Result::Ok(match frame.state() {
                    #reads
                    other => {
                        return ::core::result::Result::Err(
                            ::piton::__private::StepError::UnknownState(other),
                        );
                    }
                })
            }
        }
    }
}

/// The fields of a state: its variables, then what it waits for.
pub(super) fn fields(layout: &Layout, state: &State) -> Vec<Ident> {
    if state.point.is_none() {
        return vec![Ident::new("arguments", Span::call_site())];
    }
    let mut fields: Vec<_> = state.fields.iter().map(|id| field(layout, *id)).collect();
    for index in 0..state.operations {
        let mut name = if state.operations == 1 { "call".into() } else { format!("call{index}") };
        while fields.iter().any(|field| *field == name) {
            name.push('_');
        }
        fields.push(Ident::new(&name, Span::call_site()));
    }
    fields
}

fn field(layout: &Layout, id: VariableId) -> Ident {
    let mut ident = layout.variable(id).ident.clone();
    ident.set_span(Span::call_site());
    ident
}
