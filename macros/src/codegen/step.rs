//! The step function: type tokens, slots, and one arm per root.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Lifetime;

use super::print::Printer;
use super::{Machine, state};
use crate::hygiene::hidden;
use crate::ir::{BlockId, BlockKind, LocalKind, PointId, Terminator};
use crate::layout::{State, Variable, VariableId};

/// The name of the enum of arms.
fn block_type() -> Ident {
    Ident::new("__PitonBlock", Span::call_site())
}

/// The arm of a root that is entered within a step.
pub(super) fn block_variant(block: BlockId) -> Ident {
    format_ident!("B{}", block.0)
}

/// The label of the loop around the arms.
pub(super) fn machine_label() -> Lifetime {
    Lifetime::new("'__piton_machine", Span::mixed_site())
}

/// The type token of a saved variable.
pub(super) fn token(id: VariableId) -> Ident {
    hidden(&format!("t{}", id.0))
}

/// The slot through which a variable goes from root to root.
pub(super) fn slot(id: VariableId) -> Ident {
    hidden(&format!("s{}", id.0))
}

/// The type token of an operation.
pub(super) fn operation_token(point: PointId, index: usize) -> Ident {
    hidden(&format!("f{}_{index}", point.0))
}

/// The state that the machine is in, and then the next.
pub(super) fn parked() -> Ident {
    hidden("parked")
}

/// The context, as generated code sees it.
pub(super) fn context() -> Ident {
    hidden("cx")
}

/// The roots that are entered within a step.
fn inner_roots<'a>(machine: &'a Machine<'_>) -> impl Iterator<Item = BlockId> + 'a {
    machine.layout.roots.iter().map(|root| root.block).filter(|block| {
        !matches!(machine.graph[*block].kind, BlockKind::Start | BlockKind::Resume(_))
    })
}

/// The enum of arms: a state to go on from, or a root within the step.
pub(super) fn blocks(machine: &Machine<'_>) -> TokenStream {
    let variants: Vec<_> = inner_roots(machine).map(block_variant).collect();
    if variants.is_empty() {
        return TokenStream::new();
    }
    let (name, state) = (block_type(), state::type_name());
    quote! {
        enum #name { At(&'static #state), #(#variants),* }
    }
}

/// The pattern of the arm that goes on from a state.
pub(super) fn arm_of_state(machine: &Machine<'_>, state: &State) -> TokenStream {
    let (state_type, variant) = (state::type_name(), &state.variant);
    if inner_roots(machine).next().is_none() {
        return quote!(#state_type::#variant);
    }
    let name = block_type();
    quote!(#name::At(#state_type::#variant))
}

/// Jumps to the arm of a root. Its slots have been filled.
pub(super) fn jump(block: BlockId) -> TokenStream {
    let (name, variant, label) = (block_type(), block_variant(block), machine_label());
    let variable = hidden("block");
    quote! {
        #variable = #name::#variant;
        continue #label;
    }
}

/// `fn step`.
pub(super) fn step(machine: &Machine<'_>) -> TokenStream {
    let layout = machine.layout;
    let (cx, parked) = (context(), parked());
    let ids = || (0..layout.variables.len()).map(VariableId);
    let tokens = local_tokens(machine);
    let operations = operation_tokens(machine);
    let slots = ids().filter(|id| layout.variable(*id).is_passed).map(|id| {
        let slot = slot(id);
        quote!(let mut #slot = ::piton::__private::Slot::Empty;)
    });
    let arms = layout.roots.iter().map(|root| Printer::new(machine, root).arm());
    let items = &machine.graph.items;
    let user_context = machine.function.context.as_ref().map(|context| {
        quote! {
            #[allow(unused_variables)]
            let #context: &::piton::__private::Context = #cx;
        }
    });
    let state_type = state::type_name();
    let state = quote!(&#state_type::ALL[#parked.state()]);
    let run = if inner_roots(machine).next().is_none() {
        quote!(match #state { #(#arms)* })
    } else {
        let (label, block, name) = (machine_label(), hidden("block"), block_type());
        quote! {
            let mut #block = #name::At(#state);
            #label: loop {
                match #block { #(#arms)* }
            }
        }
    };
    let lints = &machine.function.lints;
    quote! {
        #(#[allow(#lints)])*
        #[allow(
            unreachable_code,
            unused_assignments,
            unused_braces,
            unused_mut,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        fn step(
            #parked: &mut ::piton::__private::Parked,
            #cx: &::piton::__private::Context,
        ) -> ::core::result::Result<Self::Return, ::piton::__private::Halt> {
            #(#items)*
            #user_context
            #tokens
            #operations
            if ::piton::__private::is_describing(#cx) {
                return ::core::result::Result::Err(::piton::__private::Halt::Suspended);
            }
            #(#slots)*
            #run
        }
    }
}

/// A token per saved variable.
///
/// The bound is on a function that is placed at the first await across which the variable is held,
/// and is asked for at the variable. So what rustc says of a value that cannot be saved shows both.
fn local_tokens(machine: &Machine<'_>) -> TokenStream {
    let (layout, cx) = (machine.layout, context());
    let mut made = BTreeSet::new();
    let mut out = TokenStream::new();
    for state in &layout.states {
        let Some(point) = state.point else { continue };
        let at = machine.graph.points[point.0].span;
        let new: Vec<_> = state.fields.iter().copied().filter(|id| made.insert(*id)).collect();
        for (kind, maker, ty) in [
            (LocalKind::Value, "local", quote_spanned!(at=> T)),
            (LocalKind::Items, "item_list", quote_spanned!(at=> ::piton::__private::Items<T>)),
        ] {
            let ids: Vec<_> =
                new.iter().copied().filter(|id| layout.variable(*id).kind == kind).collect();
            if ids.is_empty() {
                continue;
            }
            let maker = Ident::new(maker, at);
            let function = Ident::new("held_across_this_await", Span::mixed_site().located_at(at));
            let tokens = ids.iter().map(|id| token(*id));
            let calls = ids.iter().map(|id| {
                let variable = layout.variable(*id);
                let (name, span) = (&variable.stored, error_span(machine, variable));
                let inferred = quote_spanned!(span=> _);
                quote_spanned!(at=> #function::<#inferred>(#name, #cx))
            });
            out.extend(quote_spanned! {at=>
                let (#(#tokens,)*) = {
                    fn #function<T: ::piton::__private::Durable>(
                        name: &'static str,
                        cx: &::piton::__private::Context,
                    ) -> ::piton::__private::Local<#ty> {
                        ::piton::__private::#maker(name, cx)
                    }
                    (#(#calls,)*)
                };
            });
        }
    }
    out
}

/// Where rustc says that a variable cannot be saved. Of the items of a loop it says so once, where
/// they come from.
fn error_span(machine: &Machine<'_>, variable: &Variable) -> Span {
    let locals = &machine.graph.locals;
    let local = &locals[variable.place.local];
    locals[local.item_of.unwrap_or(variable.place.local)].ident.span()
}

/// A token per awaited operation. Its span is the operation, so that rustc says there what cannot
/// be awaited.
fn operation_tokens(machine: &Machine<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for block in &machine.graph.blocks {
        let (point, maker, futures): (_, _, Vec<_>) = match &block.end {
            Terminator::Await { point, future, .. } => (point, "future", vec![future]),
            Terminator::Select { point, arms, .. } => {
                (point, "future", arms.iter().map(|arm| &arm.future).collect())
            }
            Terminator::Join { point, branches, .. } => {
                (point, "branch", branches.iter().collect())
            }
            _ => continue,
        };
        for (index, future) in futures.into_iter().enumerate() {
            let token = operation_token(*point, index);
            let (start, end) = ends(future.to_token_stream());
            let maker = Ident::new(maker, start);
            let call = quote_spanned!(start=> ::piton::__private::#maker::<_, _);
            let call_end = quote_spanned!(end=> >());
            out.extend(quote!(let #token = #call #call_end;));
        }
    }
    out
}

/// The spans of the first and the last token.
fn ends(tokens: TokenStream) -> (Span, Span) {
    let mut tokens = tokens.into_iter().map(|token| token.span());
    let first = tokens.next().unwrap_or_else(Span::call_site);
    (first, tokens.last().unwrap_or(first))
}
