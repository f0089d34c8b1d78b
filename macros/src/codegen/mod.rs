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
mod machine;
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
mod workflow;

use proc_macro2::TokenStream;
use quote::quote;

use self::borrows::Borrows;
pub(crate) use self::facade::{facade, is_of_lints, unavailable, values_of};
pub(crate) use self::graph::type_text;
use self::machine::Machine;
use self::workflow::workflow;
use crate::frontend::parse::WorkflowFn;
use crate::ir::Graph;
use crate::layout::Layout;
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
