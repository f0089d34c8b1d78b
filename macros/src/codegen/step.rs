//! The step function: tokens, slots, and one arm per root.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Lifetime;

use super::add::{Piece, add};
use super::print::Printer;
use super::{
    Machine, add, field_names, moved_keys, print, regions, state, tokens, told, whose_parts,
};
use crate::clippy;
use crate::hygiene::{TEXTS, hidden, numbered, written};
use crate::ir::{BlockId, RegionId};
use crate::layout::{VariableId, is_entered_within};

/// Whose states and roots: those of the function itself, or those of a region.
type Owner = Option<RegionId>;

/// The label of the loop around the arms.
fn machine_label(owner: Owner) -> Lifetime {
    label("__piton_state_machine", owner)
}

/// The label of the block around all that a step does, which ends where the step has no return value.
pub(super) fn step_label(owner: Owner) -> Lifetime {
    label("__piton_step", owner)
}

/// Of a label that it does not find at once rustc looks how like it those in between are, unless they are longer by
/// more than a third.
fn label(name: &'static str, owner: Owner) -> Lifetime {
    let mut ident = written(name);
    if let Some(region) = owner {
        ident = format_ident!("{ident}{}", region.0);
    }
    Lifetime { apostrophe: ident.span(), ident }
}

/// The label of the block around the arms, of which a macro of another file shall not break unseen: rustc refuses
/// a `break` or `continue` without a label that would leave such a block.
fn arms_label() -> Lifetime {
    // One that begins so need not be used.
    Lifetime::new("'_piton_arms_of_the_state_machine", Span::mixed_site())
}

/// What the texts are borrowed from that have been loaded.
pub(super) fn texts() -> Ident {
    hidden(TEXTS)
}

/// The slot through which a variable goes from root to root.
pub(super) fn slot(id: VariableId) -> Ident {
    numbered("s", id.0)
}

/// What of a variable goes from root to root only to be dropped.
pub(super) fn handed(id: VariableId) -> Ident {
    numbered("d", id.0)
}

/// The state that the machine is in, and then the next.
pub(super) fn parked() -> Ident {
    written("__piton_parked")
}

/// The context, as generated code sees it.
pub(super) fn context() -> Ident {
    written("__piton_cx")
}

/// The roots that are entered within a step.
fn inner_roots<'a>(machine: &'a Machine<'_>, owner: Owner) -> impl Iterator<Item = BlockId> + 'a {
    let graph = machine.graph;
    let roots = machine.layout.roots.iter().map(|root| root.block);
    roots.filter(move |root| graph[*root].region == owner && is_entered_within(graph, *root))
}

/// Whether a step goes from arm to arm, and not only from a state to the next.
fn is_loop(machine: &Machine<'_>, owner: Owner) -> bool {
    let mut points = machine.layout.states_of(owner).filter_map(|state| state.point);
    inner_roots(machine, owner).next().is_some()
        || points.any(|point| machine.graph.has_regions(point))
}

/// Jumps to the arm of a root: its slots have been filled, or its state has just been written.
pub(super) fn jump(machine: &Machine<'_>, out: &mut TokenStream, root: BlockId) {
    let (label, variable) = (machine_label(machine.graph[root].region), written("__piton_state"));
    let number = state::number(machine, root);
    add!(out, #variable = #number; continue #label;);
}

/// Goes from the state that `begin` gives to the next one or to the end.
pub(super) fn run(machine: &Machine<'_>, owner: Owner, begin: &TokenStream) -> TokenStream {
    let layout = machine.layout;
    let parked = parked();
    let slots = Piece(|out: &mut TokenStream| {
        for (index, variable) in layout.variables.iter().enumerate() {
            let id = VariableId(index);
            if variable.passed_in.contains(&owner) {
                let slot = slot(id);
                add!(out, let mut #slot = __piton::Slot::Empty;);
            }
            if variable.carried_in.contains(&owner) {
                let handed = handed(id);
                add!(out, let mut #handed = __piton::Handed(__piton::None););
            }
        }
    });
    let made = regions::declare_made(machine, owner);
    let roots = layout.roots.iter().filter(|root| machine.graph[root.block].region == owner);
    let mut arms = TokenStream::new();
    roots.for_each(|root| Printer::new(machine, root).arm(&mut arms));
    // A region that never ends has no value.
    let token = owner.map(regions::value_token).filter(|token| print::names(&arms, token));
    let token = token.map(|token| quote!(let #token = __piton::TypeOf::new();));
    let (step_label, state) = (step_label(owner), written("__piton_state"));
    // A machine has arms for its own states and not for those of its regions, or of what it is in.
    let out = &mut arms;
    add!(out, _ => return __piton::Parked::unknown(#parked),);
    let arms = Group::new(Delimiter::Brace, arms);
    let run = Piece(|out: &mut TokenStream| {
        if is_loop(machine, owner) {
            let (label, arms_label) = (machine_label(owner), arms_label());
            // The block is where the body is, for rustc not to tell of what is moved that it is so in this loop.
            let source = machine.function.body.brace_token.span.join();
            let mut block = Group::new(Delimiter::Brace, quote!(match #state #arms));
            block.set_span(Span::mixed_site().located_at(source));
            add!(out, #label: loop { #arms_label: #block });
        } else {
            // What is before a jump by a number and in one block with it takes LLVM three times as long.
            let nowhere = Literal::u32_unsuffixed(u32::MAX);
            add!(out, if #state == #nowhere { break #step_label; });
            add!(out, match #state #arms);
        }
    });
    quote! {
        #slots
        #made
        #token
        // There is one way out of all states, because a call for each would be code for each.
        #step_label: {
            let mut #state = #begin;
            #run
        }
        #parked.leave()
    }
}

/// Has rustc refuse constants for which bindings have been taken. Of one that is imported only rustc knows, and
/// of a binding that has got another name not even rustc. Nobody calls this.
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
    let (parts, parts_checks) = whose_parts::checks(machine, &run);
    add::made(out, parts);
    let (wholes, names_of_fields) = field_names::asked(machine, &run);
    add::made(out, wholes);
    add::made(out, told::told(machine));
    tokens::operations(machine, out);
    add::made(out, outputs);
    let mut checks = tokens::text_checks(machine);
    add::made(&mut checks, parts_checks);
    add::made(&mut checks, moved_keys::checks(machine));
    add::made(&mut checks, names_of_fields);
    if machine.graph.locals.are_texts_lent() {
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
