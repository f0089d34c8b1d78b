//! The type and the function that stand where the user's function stood, and what stands there if
//! the function could not be compiled.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Pat, PatType};

use super::workflow;
use crate::hygiene::hidden;
use crate::parse::WorkflowFn;

/// The type of the workflow, the function that makes calls, and `definition` beside them.
pub(super) fn facade(function: &WorkflowFn, definition: &TokenStream) -> TokenStream {
    let names = function.params.iter().enumerate().map(|(index, param)| param_name(index, param));
    let arguments = quote!(&(#(#names,)*));
    let call = quote!(::piton::__private::WorkflowCall::new(#arguments));
    around(function, definition, &quote!(), &call)
}

fn around(
    function: &WorkflowFn,
    definition: &TokenStream,
    allow: &TokenStream,
    call: &TokenStream,
) -> TokenStream {
    let WorkflowFn { attrs, vis, ident, params, parameters, .. } = function;
    let (bounded, arguments, bounds) = parameters.split();
    let declared = parameters.of_type();
    let variant = parameters.variant();
    let params = params.iter().enumerate().map(|(index, param)| {
        let (name, ty) = (param_name(index, param), &param.ty);
        quote!(#name: #ty)
    });
    quote! {
        #(#attrs)*
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #ident #declared { #variant }

        #(#attrs)*
        #allow
        #vis fn #ident #bounded(#(#params),*) -> ::piton::__private::WorkflowCall<#ident #arguments>
        #bounds
        {
            #call
        }

        const _: () = { #definition };
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

/// What stands for a workflow that has not been compiled: its type and function, so that what uses
/// them is checked as usual.
pub(crate) fn unavailable(function: &WorkflowFn) -> TokenStream {
    let name = &function.name;
    let machine = quote! {
        const GRAPH: &'static ::piton::__private::Graph =
            &::piton::__private::Graph { workflow: #name, nodes: &[], edges: &[] };

        fn step(
            _: &mut ::piton::__private::Parked,
            _: &::piton::__private::Context,
        ) -> ::core::result::Result<Self::Return, ::piton::__private::Halt> {
            ::core::unreachable!()
        }
    };
    // Arguments that cannot be stored are why it has not been compiled, or rustc is told of them
    // when it has.
    let no_arguments = quote!(());
    let workflow = workflow(function, &no_arguments, &machine);
    let allow = quote!(#[allow(unused_variables)]);
    around(function, &workflow, &allow, &quote!(::core::unreachable!()))
}
