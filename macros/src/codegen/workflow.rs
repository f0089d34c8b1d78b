//! The implementations of the traits of a workflow.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::unit;
use crate::frontend::parse::WorkflowFn;
use crate::syntax::continued;
use crate::syntax::names::without_prefix;

/// The implementations of the traits, from the kinds of the `arguments`, the encoding of the `returned` value, and
/// `step`.
pub(super) fn workflow(
    function: &WorkflowFn,
    graph: &TokenStream,
    arguments: &TokenStream,
    returned: &TokenStream,
    step: &TokenStream,
) -> TokenStream {
    let WorkflowFn { ident, output, parameters, formerly, version, exposed, .. } = function;
    let (bounded, of_type, bounds) = parameters.split();
    let (value, error) = result_parts(function, &quote!(__piton));
    let (shape, failure) = if function.returns_result() {
        let failure = quote! {
            fn failure(__piton_returned: &Self::Return) -> __piton::Option<__piton::Failure> {
                match __piton_returned {
                    __piton::Ok(_) => __piton::None,
                    __piton::Err(__piton_error) => {
                        use __piton::{ByDebug as _, ByDisplay as _, ByError as _, ByOwn as _, ByType as _};
                        __piton::Some((&&&&__piton::ErrorText(__piton_error)).piton_failure())
                    }
                }
            }
        };
        ("Fallible", Some(failure))
    } else {
        ("Plain", None)
    };
    let shape = Ident::new(shape, Span::call_site());
    let unbounded = parameters.of_impl();
    let formerly = (!formerly.is_empty())
        .then(|| quote!(const FORMERLY: &'static [&'static str] = &[#(#formerly),*];));
    let version = version.as_ref().map(|version| quote!(const VERSION: u32 = #version;));
    let names = exposed.iter().map(|name| without_prefix(&name.to_string()).to_owned());
    let exposed = (!exposed.is_empty())
        .then(|| quote!(const EXPOSED: &'static [&'static str] = &[#(#names),*];));
    let options = options(function);
    let id = function.id.as_ref().map(|id| id.constant(function));
    let unit = unit::of(&function.name);
    // `register!` names the instances of a generic workflow.
    let registered_name = (!parameters.is_empty()).then(|| {
        quote! {
            fn registered_name() -> __piton::Option<&'static str> {
                __piton::instance_name::<Self>()
            }
        }
    });
    quote! {
        impl #unbounded __piton::Checked for #ident #of_type {}

        impl #bounded __piton::Workflow for #ident #of_type #bounds {
            type Return = #output;
            type Output = #value;
            type Error = #error;
            type Shape = __piton::#shape;
            type Unit = __piton::#unit;
            #formerly
            #version
            #exposed
            #options
            #id
            #failure

            #registered_name

            const GRAPH: &'static __piton::Graph = #graph;

            const ARGUMENTS: &'static [__piton::ArgumentKind] = &[#arguments];

            const RETURNED: &'static __piton::Values<Self::Return> = #returned;
        }

        impl #bounded __piton::StepOf<#ident #of_type> for __piton::#unit #bounds {
            type Return = #output;

            #step
        }
    }
}

/// The types of the value and the error of the result. `private` is the path of `piton::__private`.
pub(super) fn result_parts(
    function: &WorkflowFn,
    private: &TokenStream,
) -> (TokenStream, TokenStream) {
    let output = &function.output;
    if function.returns_result() {
        let parts = quote!(<#output as #private::ResultParts>);
        (quote!(#parts::Ok), quote!(#parts::Err))
    } else {
        (output.to_token_stream(), quote!(#private::Infallible))
    }
}

/// The constant with the `WorkflowOptions`, if they are not the default.
fn options(function: &WorkflowFn) -> Option<TokenStream> {
    let WorkflowFn { durability, history, redacted, ident, body, .. } = function;
    let history = history.as_ref().map(|history| quote!(.with_history(#history)));
    let redacted =
        (!redacted.is_empty()).then(|| quote!(.with_redacted_parameters(&[#(#redacted),*])));
    let continues = continued::as_another(body.to_token_stream(), ident)
        .then(|| quote!(.continuing_as_another()));
    let given = quote!(#durability #history #redacted #continues);
    (!given.is_empty()).then(|| {
        quote! {
            const OPTIONS: ::piton::__private::WorkflowOptions =
                ::piton::__private::WorkflowOptions::DEFAULT #given;
        }
    })
}
