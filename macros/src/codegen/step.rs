//! The step function: tokens, slots, and one arm per segment.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::machine::Machine;
use super::run::run;
use super::variables::{context, parked, texts};
use super::{add, field_names, moved_keys, part_ownership, regions, tokens};
use crate::codegen::clippy;
use crate::syntax::hygiene::hidden;

/// A function that is never called, in which rustc reports constants with the names of bindings. The macro cannot see
/// an imported constant, and rustc cannot see a renamed binding.
fn no_constants(machine: &Machine<'_>) -> TokenStream {
    let renamed = machine.graph.locals.renamed();
    if renamed.is_empty() {
        return TokenStream::new();
    }
    let (name, units) = (hidden("no_constants"), renamed.iter().map(|_| quote!(())));
    quote! {
        #[allow(unused, nonstandard_style)]
        fn #name() {
            match (#(#units,)*) { (#(#renamed @ _,)*) => {} }
        }
    }
}

/// `fn step`.
pub(super) fn step(machine: &Machine<'_>) -> TokenStream {
    let (cx, parked) = (context(), parked());
    let user_context = machine.function.context_type.as_ref().map(|ty| {
        let context = match &machine.function.context {
            Some(context) => context.to_token_stream(),
            None => quote!(_),
        };
        quote! {
            #[allow(unused_variables)]
            let #context: #ty = #cx;
        }
    });
    let replaced = machine
        .function
        .replaced
        .iter()
        .map(|name| quote_spanned!(name.span()=> #[allow(unused_imports)] use #name as _;));
    let items = &machine.graph.items;
    let mut body = quote!(#(#items)* #(#replaced)*);
    let out = &mut body;
    add::made(out, no_constants(machine));
    add::made(out, user_context.unwrap_or_default());
    let mut described = Vec::new();
    tokens::arguments(machine, out);
    tokens::locals(machine, out, &mut described);
    add::made(out, tokens::types(machine));
    let outputs = regions::output_tokens(machine, &mut described);
    let mut run = run(machine, None, &tokens::begin(machine, &described));
    let (parts, parts_checks) = part_ownership::checks(machine, &run);
    add::made(out, parts);
    let (wholes, names_of_fields) = field_names::asked(machine, &run);
    add::made(out, wholes);
    tokens::operations(machine, out);
    add::made(out, outputs);
    let mut checks = tokens::text_checks(machine);
    add::made(&mut checks, parts_checks);
    add::made(&mut checks, moved_keys::checks(machine));
    add::made(&mut checks, names_of_fields);
    add::made(&mut checks, machine.borrows.describe());
    if machine.graph.locals.has_borrowed_texts() {
        let texts = texts();
        run = quote!(let #texts = __piton::Texts::new(); #run);
    }
    if !checks.is_empty() {
        let halted = hidden("halted");
        run = quote! {
            let #halted: __piton::Result<Self::Return, __piton::Halt> = { #run };
            #checks
            #halted
        };
    }
    add::made(out, run);
    let body = Group::new(Delimiter::Brace, body);
    let lints = &machine.function.lints;
    let of_clippy = clippy::only(|| {
        quote! {
            #[allow(
                clippy::absolute_paths,
                clippy::all,
                clippy::expect_used,
                clippy::if_then_some_else_none,
                clippy::let_underscore_must_use,
                clippy::let_underscore_untyped,
                clippy::missing_asserts_for_indexing,
                clippy::nursery,
                clippy::panic_in_result_fn,
                clippy::pedantic,
                clippy::semicolon_outside_block,
                clippy::shadow_unrelated,
                clippy::unneeded_field_pattern,
                clippy::unwrap_in_result
            )]
        }
    });
    let of_comments = machine.explains.then(|| quote!(unused_doc_comments,));
    quote! {
        #(#[allow(#lints)])*
        #[allow(
            unreachable_code,
            unused_assignments,
            unused_braces,
            #of_comments
            unused_mut,
            unused_parens,
            unused_qualifications
        )]
        #of_clippy
        fn step(
            #parked: &mut __piton::Parked,
            #cx: &__piton::Context,
        ) -> __piton::Result<Self::Return, __piton::Halt>
        #body
    }
}
