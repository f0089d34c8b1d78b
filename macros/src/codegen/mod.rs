//! Prints the layout as tokens. No other folder prints tokens of the machine.
//!
//! Input: the function, its graph and its layout. Output: the items of the workflow, with the step function among them.
//!
//! ```text
//! state `greet`, saves greetings   →   1 => {
//!                                          let Some(value) = (f0.resume)(parked, cx) else { break 'step };
//!                                          let mut greetings = (&t0).load(parked, 0);
//!                                          greetings.push(value);
//!                                          …
//!                                      }
//! ```

mod add;
mod arm;
mod borrows;
pub(crate) mod clippy;
mod constants;
mod copies;
mod entry;
mod exit;
mod facade;
mod field_names;
mod first_awaits;
mod graph;
mod idents;
mod joins;
mod large_literals;
mod lints;
mod literals;
mod moved_keys;
mod part_ownership;
mod places;
mod print;
mod printer;
mod regions;
mod rematerialized;
mod resume;
mod rewrite;
mod run;
mod scopes;
mod select;
mod split_locals;
mod state;
mod step;
mod suspend;
mod tokens;
mod type_ties;
mod unit;
mod untouched;
mod unused_variables;
mod variables;
mod variants;
mod waits;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use self::borrows::Borrows;
pub(crate) use self::facade::{facade, is_of_lints, unavailable, values_of};
pub(crate) use self::graph::type_text;
use crate::frontend::parse::WorkflowFn;
use crate::ir::Graph;
use crate::layout::Layout;
use crate::syntax::continued;
use crate::syntax::names::without_prefix;
use crate::syntax::owned::stored_parts;
use crate::syntax::patterns::parameter_name;
use crate::verify::lookups::MovedKey;

/// Prints the implementations that make the type a workflow, with the machine. If it `explains` the machine, arms have
/// doc comments for readers, which take rustc time.
pub(crate) fn generate(
    function: &WorkflowFn,
    graph: &Graph,
    layout: &Layout,
    moved_keys: &[MovedKey],
    explains: bool,
) -> TokenStream {
    let ident = &function.ident;
    let span = ident.span();
    let borrows = Borrows::of(graph, layout);
    let machine = Machine { function, graph, layout, borrows, moved_keys, explains };
    let step = step::step(&machine);
    let asks = function.parameters.ask(stored_parts(&function.output));
    let returned = if function.returns_result() {
        let output = &function.output;
        quote! {
            #[allow(unused_imports)]
            use __piton::UnstoredResult as _;
            __piton::ValuesOf::<#output>::RESULTS
        }
    } else {
        values_of(&function.output)
    };
    let returned = quote!({ #(#asks)* #returned });
    let kinds = function.params.iter().map(|param| {
        let (values, name) = (values_of(&param.ty), parameter_name(&param.pat));
        match name {
            Some(name) => quote!(#values.kind.named(#name)),
            None => quote!(#values.kind),
        }
    });
    let kinds = quote!(#(#kinds),*);
    let mut definition = workflow(function, &graph::graph(&machine), &kinds, &returned, &step);
    // Joining streams takes several calls of rustc, and usually there is only this one.
    let out = &mut definition;
    add::made(out, lints::lints(&machine));
    // A nested workflow is awaited and never started; instances of generic workflows are registered by hand.
    if !function.is_nested && function.parameters.is_empty() {
        add::add_at!(out, span, ::piton::__register! { __piton::register::<#ident> });
    }
    add::made(out, function.parameters.check().unwrap_or_default());
    definition
}

/// The input of code generation.
struct Machine<'a> {
    function: &'a WorkflowFn,
    graph: &'a Graph,
    layout: &'a Layout,
    borrows: Borrows,
    moved_keys: &'a [MovedKey],
    explains: bool,
}

/// The implementations of the traits, from the kinds of the `arguments`, the encoding of the `returned` value, and
/// `step`.
fn workflow(
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
fn result_parts(function: &WorkflowFn, private: &TokenStream) -> (TokenStream, TokenStream) {
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
