//! The type and the function that replace the user's function, and their fallback if the function could not be
//! compiled.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Pat, PatType};

use super::add::{Piece, add};
use super::workflow::{result_parts, workflow};
use super::{add, variants};
use crate::frontend::parse::WorkflowFn;
use crate::syntax::hygiene::{hidden, spelled};
use crate::syntax::names;

/// The items that replace the user's function: the workflow's type, the function that makes calls, and the `definition`
/// of the machine. `beside` has further items.
pub(crate) fn facade(
    function: &WorkflowFn,
    definition: &TokenStream,
    beside: &TokenStream,
) -> TokenStream {
    let ident = &function.ident;
    let (_, types, _) = function.parameters.split();
    let names = param_names(function);
    let workflow = quote!(#ident #types);
    let list = Piece(|out: &mut TokenStream| {
        stored_arguments(out, &workflow, &names, &function.params);
    });
    // This is inline, because a function would be compiled for each workflow.
    let id = function.id.as_ref();
    // The id borrows the arguments, which the call moves.
    let workflow_id = match id.map(|id| id.call(ident, &names)) {
        Some(id) => quote!(::core::option::Option::Some(#id)),
        None => quote!(::core::option::Option::None),
    };
    let call = quote! {
        ::piton::__private::WorkflowCall::<#workflow> {
            workflow_id: #workflow_id,
            arguments: #list.finish(),
            workflow: ::piton::__private::PhantomData,
        }
    };
    let of_id = id.map(|id| id.function(function));
    around(function, &names, definition, &quote!(#beside #of_id), &quote!(), &call)
}

/// The list of the arguments. This is the one place that requires of the types of arguments that they can be stored.
fn stored_arguments(
    out: &mut TokenStream,
    workflow: &TokenStream,
    names: &[Ident],
    params: &[PatType],
) {
    let (Some((name, before)), Some((param, params))) = (names.split_last(), params.split_last())
    else {
        return add!(out, ::piton::__private::Arguments::of(
            <#workflow as ::piton::__private::Workflow>::ARGUMENTS
        ));
    };
    let ty = &param.ty;
    add!(out, ::piton::__private::stored_argument::<#ty>);
    add::parentheses(out, Span::call_site(), |out| {
        stored_arguments(out, workflow, before, params);
        add!(out, , #name);
    });
}

fn around(
    function: &WorkflowFn,
    names: &[Ident],
    definition: &TokenStream,
    beside: &TokenStream,
    allow: &TokenStream,
    call: &TokenStream,
) -> TokenStream {
    let WorkflowFn { attrs, vis, ident, params, parameters, method, .. } = function;
    let definition = quote! {
        const _: () = {
            // Short paths: rustc reads generated code token by token.
            use ::piton::__private as __piton;
            #[allow(unused_imports)]
            use __piton::Unstored as _;
            #definition
        };
    };
    let declared = parameters.of_type();
    let states = variants::variants(function);
    let variant = parameters.variant();
    let mut typed = names.iter().zip(params);
    let receiver = if has_receiver(function) { typed.next() } else { None };
    let receiver = receiver.map(|(name, _)| name.to_token_stream());
    let params = receiver.into_iter().chain(typed.map(|(name, param)| {
        let ty = &param.ty;
        quote!(#name: #ty)
    }));
    if let Some(method) = method {
        // No type can stand beside a method, so nobody can name the workflow's type.
        let (bounded, bounds) = parameters.of_method(&method.block_parameters);
        let returned = &function.output;
        let (value, error) = result_parts(function, &quote!(::piton::__private));
        return quote! {
            #(#attrs)*
            #allow
            #vis fn #ident #bounded(#(#params),*) -> ::piton::__private::WorkflowCall<
                impl ::piton::__private::Workflow<
                    Return = #returned,
                    Output = #value,
                    Error = #error,
                >
            >
            #bounds
            {
                #[allow(non_camel_case_types, dead_code)]
                enum #ident #declared { #variant }
                #definition
                #beside
                #call
            }
        };
    }
    let (bounded, arguments, bounds) = parameters.split();
    let named = Piece(|out: &mut TokenStream| variants::named(function, &states, out));
    // The documentation is on the function, and links to the name lead there.
    let attrs_of_type = attrs.iter().filter(|attr| is_of_lints(attr));
    quote! {
        #(#attrs_of_type)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis enum #ident #declared { #variant #(#states),* }

        #(#attrs)*
        #allow
        #vis fn #ident #bounded(#(#params),*) -> ::piton::__private::WorkflowCall<#ident #arguments>
        #bounds
        {
            #call
        }

        #definition
        #named
        #beside
    }
}

/// The encoding of a type, where `__piton` is in scope.
pub(crate) fn values_of(ty: &impl ToTokens) -> TokenStream {
    quote!(__piton::ValuesOf::<#ty>::VALUES)
}

/// Whether an attribute sets lint levels. Types can have such attributes, too.
pub(crate) fn is_of_lints(attr: &Attribute) -> bool {
    ["allow", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level))
}

fn has_receiver(function: &WorkflowFn) -> bool {
    function.method.as_ref().is_some_and(|method| method.receiver.is_some())
}

/// The names of the parameters of the function that makes the call.
fn param_names(function: &WorkflowFn) -> Vec<Ident> {
    let params = &function.params;
    let written: Vec<_> = params.iter().map(|param| name_of(&param.pat)).collect();
    let count = |name: &Ident| written.iter().flatten().filter(|other| **other == name).count();
    let mut names: Vec<Ident> = Vec::new();
    if has_receiver(function) {
        names.push(Ident::new("self", Span::call_site()));
    }
    for (index, ident) in written.iter().enumerate().skip(names.len()) {
        // The call uses all parameters, so the prefix `_` goes.
        let name = ident.and_then(|ident| {
            let name = ident.to_string();
            let plain = name.trim_start_matches('_');
            // rustc reports duplicate names.
            if plain == name || count(ident) > 1 {
                return Some(ident.clone());
            }
            let plain = names::is_plain(plain).then(|| spelled(plain, ident.span()));
            plain.filter(|plain| count(plain) == 0 && !names.contains(plain))
        });
        names.push(name.unwrap_or_else(|| hidden(&format!("argument{index}"))));
    }
    names
}

fn name_of(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(pat) if pat.subpat.is_none() => Some(&pat.ident),
        _ => None,
    }
}

/// The type and function of a workflow that could not be compiled, so that rustc checks the code that uses them.
pub(crate) fn unavailable(function: &WorkflowFn, beside: &TokenStream) -> TokenStream {
    let name = &function.name;
    let graph = quote!(&::piton::__private::Graph::new(#name, "", ""));
    let returned = quote!(::piton::__private::Values::refused());
    let step = quote! {
        fn step(
            _: &mut ::piton::__private::Parked,
            _: &::piton::__private::Context,
        ) -> ::core::result::Result<Self::Return, ::piton::__private::Halt> {
            ::core::unreachable!()
        }
    };
    let workflow = workflow(function, &graph, &quote!(), &returned, &step);
    let allow = quote!(#[allow(unused_variables, unreachable_code)]);
    let ident = &function.ident;
    let (_, types, _) = function.parameters.split();
    let call = quote! {{
        let __piton_call: ::piton::__private::WorkflowCall<#ident #types> = ::core::unreachable!();
        __piton_call
    }};
    around(function, &param_names(function), &workflow, beside, &allow, &call)
}
