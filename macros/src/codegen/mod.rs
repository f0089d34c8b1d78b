//! Layout → tokens. The only place that prints them.

mod graph;
mod print;
mod rewrite;
mod state;
mod step;
mod suspend;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Pat, PatType};

use crate::hygiene::hidden;
use crate::ir::Graph;
use crate::layout::Layout;
use crate::parse::WorkflowFn;

/// Prints the workflow: its type, its function and its machine.
pub(crate) fn generate(function: &WorkflowFn, graph: &Graph, layout: &Layout) -> TokenStream {
    let facade = facade(function);
    let ident = &function.ident;
    let span = ident.span();
    let machine = Machine { function, graph, layout };
    let state = state::state(&machine);
    let blocks = step::blocks(&machine);
    let step = step::step(&machine);
    let graph = graph::graph(&machine);
    let type_name = state::type_name();
    let machine = quote! {
        const GRAPH: &'static ::piton::__private::Graph = #graph;

        fn begin(arguments: ::piton::__private::Payload) -> Self::State {
            #type_name::Start { arguments: ::piton::__private::save_arguments(arguments) }
        }

        #step
    };
    let workflow = workflow(function, &type_name.to_token_stream(), &machine);
    // One that is declared in another can be awaited there and not started.
    let register = (!function.is_nested).then(|| {
        quote_spanned! {span=>
            ::piton::__private::inventory::submit! {
                ::piton::__private::WorkflowEntry::of::<#ident>()
            }
        }
    });
    quote! {
        #facade
        const _: () = {
            #state
            #blocks
            #workflow
            #register
        };
    }
}

/// What all of code generation works on.
struct Machine<'a> {
    function: &'a WorkflowFn,
    graph: &'a Graph,
    layout: &'a Layout,
}

/// The type and the function that stand where the user's function stood.
pub(crate) fn facade(function: &WorkflowFn) -> TokenStream {
    let WorkflowFn { attrs, vis, ident, params, .. } = function;
    let types: Vec<_> = params.iter().map(|param| &param.ty).collect();
    let names: Vec<_> =
        params.iter().enumerate().map(|(index, param)| param_name(index, param)).collect();
    quote! {
        #(#attrs)*
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #ident {}

        #(#attrs)*
        #vis fn #ident(#(#names: #types),*) -> ::piton::__private::WorkflowCall<#ident> {
            ::piton::__private::WorkflowCall::new(&(#(#names,)*))
        }
    }
}

/// The name of a parameter of the function that makes the call.
fn param_name(index: usize, param: &PatType) -> Ident {
    match &*param.pat {
        Pat::Ident(pat) if pat.subpat.is_none() => {
            // A parameter that the body does not use is used here all the same.
            let name = pat.ident.to_string();
            match name.trim_start_matches('_') {
                "" => hidden(&format!("argument{index}")),
                plain => format_ident!("{plain}", span = pat.ident.span()),
            }
        }
        _ => hidden(&format!("argument{index}")),
    }
}

/// The implementation of the trait: `state` is the type of the states, and `machine` what of it
/// rests on the body.
fn workflow(function: &WorkflowFn, state: &TokenStream, machine: &TokenStream) -> TokenStream {
    let WorkflowFn { vis, ident, name, params, output, .. } = function;
    let types = params.iter().map(|param| &param.ty);
    let returned = hidden("returned");
    let parts = quote!(<#output as ::piton::__private::ResultParts>);
    let (value, error, failure, into_result) = if function.returns_result() {
        (
            quote!(#parts::Ok),
            quote!(#parts::Err),
            quote! {
                ::piton::__private::ResultParts::err_ref(#returned).map(|error| {
                    use ::piton::__private::{ByDebug as _, ByDisplay as _};
                    (&::piton::__private::ErrorText(error)).text()
                })
            },
            quote!(::piton::__private::ResultParts::into_result(#returned)),
        )
    } else {
        (
            output.to_token_stream(),
            quote!(::core::convert::Infallible),
            quote!({
                let _ = #returned;
                ::core::option::Option::None
            }),
            quote!(::core::result::Result::Ok(#returned)),
        )
    };
    quote! {
        impl ::piton::__private::Workflow for #ident {
            type State = #state;
            type Return = #output;
            type Output = #value;
            type Error = #error;
            type Arguments = (#(#types,)*);
            const NAME: &'static str = #name;
            const OPTIONS: ::piton::__private::WorkflowOptions =
                ::piton::__private::WorkflowOptions::DEFAULT;

            fn definition() -> &'static ::piton::__private::Definition {
                static DEFINITION: ::std::sync::OnceLock<::piton::__private::Definition> =
                    ::std::sync::OnceLock::new();
                DEFINITION.get_or_init(::piton::__private::Definition::of::<Self>)
            }

            fn failure(
                #returned: &Self::Return,
            ) -> ::core::option::Option<::std::string::String> {
                #failure
            }

            fn into_result(
                #returned: Self::Return,
            ) -> ::core::result::Result<Self::Output, Self::Error> {
                #into_result
            }

            #machine
        }

        impl #ident {
            /// The states of the workflow and the ways between them.
            #[allow(dead_code)]
            #vis const GRAPH: &'static ::piton::__private::Graph =
                <Self as ::piton::__private::Workflow>::GRAPH;
        }
    }
}

/// What stands for a workflow that has not been compiled: its type and function, so that what uses
/// them is checked as usual.
pub(crate) fn unavailable(function: &WorkflowFn) -> TokenStream {
    let facade = facade(function);
    let name = &function.name;
    let state = quote!(::piton::__private::NoState);
    let machine = quote! {
        const GRAPH: &'static ::piton::__private::Graph =
            &::piton::__private::Graph { workflow: #name, nodes: &[], edges: &[] };

        fn begin(_: ::piton::__private::Payload) -> Self::State {
            ::core::unreachable!()
        }

        fn step(
            state: Self::State,
            _: &::piton::__private::Context,
        ) -> ::core::result::Result<
            ::piton::__private::Outcome<Self::State, Self::Return>,
            ::piton::__private::StepError,
        > {
            match state {}
        }
    };
    let workflow = workflow(function, &state, &machine);
    quote! {
        #facade
        const _: () = { #workflow };
    }
}
