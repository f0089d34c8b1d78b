//! The enum of states, and how it is written and read.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::Machine;
use crate::layout::State;

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
        let fields = fields(state);
        let count = state.fields.len();
        let types = fields.iter().map(|field| match field {
            Field::Locals(_) => quote!(::piton::__private::Locals),
            Field::Saved(_) => quote!(::piton::__private::Saved),
        });
        let write = fields.iter().map(|field| match field {
            Field::Locals(field) => quote!(frame.locals(#field);),
            Field::Saved(field) => quote!(frame.local(#field);),
        });
        let read = fields.iter().map(|field| match field {
            Field::Locals(field) => quote!(#field: frame.locals(#count)?),
            Field::Saved(field) => quote!(#field: frame.local()?),
        });
        variants.extend(quote!(#variant { #(#fields: #types),* },));
        indexes.extend(quote!(Self::#variant { .. } => #number,));
        writes.extend(quote!(Self::#variant { #(#fields),* } => { #(#write)* }));
        reads.extend(quote!(#number => Self::#variant { #(#read),* },));
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

/// A field of a state.
pub(super) enum Field {
    /// All locals that the state keeps.
    Locals(Ident),
    /// The arguments, or what is awaited.
    Saved(Ident),
}

impl ToTokens for Field {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Locals(ident) | Self::Saved(ident) => ident.to_tokens(tokens),
        }
    }
}

/// The fields of a state: its locals, then what it waits for.
pub(super) fn fields(state: &State) -> Vec<Field> {
    if state.point.is_none() {
        return vec![Field::Saved(Ident::new("arguments", Span::call_site()))];
    }
    let locals = Field::Locals(Ident::new("locals", Span::call_site()));
    let mut fields: Vec<_> = (!state.fields.is_empty()).then_some(locals).into_iter().collect();
    fields.extend((0..state.operations).map(|index| {
        let name = if state.operations == 1 { "call".into() } else { format!("call{index}") };
        Field::Saved(Ident::new(&name, Span::call_site()))
    }));
    fields
}
