//! The step function: type tokens, slots, and one arm per root.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Lifetime;

use super::facade::values_of;
use super::print::Printer;
use super::{Machine, regions, state};
use crate::hygiene::hidden;
use crate::ir::{BlockId, Branch, LocalKind, PointId, RegionId, Terminator};
use crate::layout::{State, Variable, VariableId, is_entered_within};

/// Whose states and roots: those of the function itself, or those of a region.
type Owner = Option<RegionId>;

/// The name of the enum of arms.
fn block_type(owner: Owner) -> Ident {
    let number = owner.map(|region| region.0.to_string()).unwrap_or_default();
    Ident::new(&format!("__PitonBlock{number}"), Span::call_site())
}

/// The arm of a root that is entered within a step.
fn block_variant(root: BlockId) -> Ident {
    format_ident!("B{}", root.0)
}

/// The label of the loop around the arms.
fn machine_label(owner: Owner) -> Lifetime {
    let number = owner.map(|region| region.0.to_string()).unwrap_or_default();
    Lifetime::new(&format!("'__piton_machine{number}"), Span::mixed_site())
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

/// The token of an argument.
pub(super) fn argument_token(index: usize) -> Ident {
    hidden(&format!("a{index}"))
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

/// The enums of arms: a state to go on from, or a root within the step.
pub(super) fn blocks(machine: &Machine<'_>) -> TokenStream {
    let mut enums = TokenStream::new();
    for owner in machine.owners().filter(|owner| is_loop(machine, *owner)) {
        let variants = inner_roots(machine, owner).map(block_variant);
        let (name, state) = (block_type(owner), state::type_name());
        enums.extend(quote!(enum #name { At(&'static #state), #(#variants),* }));
    }
    enums
}

/// The pattern of the arm that goes on from a state.
pub(super) fn arm_of_state(machine: &Machine<'_>, state: &State) -> TokenStream {
    let (state_type, variant) = (state::type_name(), &state.variant);
    if !is_loop(machine, state.region) {
        return quote!(#state_type::#variant);
    }
    let name = block_type(state.region);
    quote!(#name::At(#state_type::#variant))
}

/// The pattern of that arm, and what goes there.
pub(super) fn arm_of_root(machine: &Machine<'_>, root: BlockId) -> TokenStream {
    let (name, variant) = (block_type(machine.graph[root].region), block_variant(root));
    quote!(#name::#variant)
}

/// Jumps to the arm of a root. Its slots have been filled.
pub(super) fn jump(machine: &Machine<'_>, root: BlockId) -> TokenStream {
    go_on_at(machine.graph[root].region, &arm_of_root(machine, root))
}

/// Goes on in the state that has just been written.
pub(super) fn jump_to_state(owner: Owner, state: &State) -> TokenStream {
    let (name, state_type, variant) = (block_type(owner), state::type_name(), &state.variant);
    go_on_at(owner, &quote!(#name::At(&#state_type::#variant)))
}

fn go_on_at(owner: Owner, arm: &TokenStream) -> TokenStream {
    let (label, variable) = (machine_label(owner), hidden("block"));
    quote! {
        #variable = #arm;
        continue #label;
    }
}

/// Goes from the state in `parked` to the next one or to the end.
pub(super) fn run(machine: &Machine<'_>, owner: Owner) -> TokenStream {
    let layout = machine.layout;
    let parked = parked();
    let slots = (0..layout.variables.len()).map(VariableId).filter_map(|id| {
        let slot = slot(id);
        let is_passed = layout.variable(id).passed_in.contains(&owner);
        is_passed.then(|| quote!(let mut #slot = __piton::Slot::Empty;))
    });
    let made = regions::declare_made(machine, owner);
    let roots = layout.roots.iter().filter(|root| machine.graph[root.block].region == owner);
    let arms = roots.map(|root| Printer::new(machine, root).arm());
    let state_type = state::type_name();
    let state = quote!(&#state_type::ALL[#parked.state()]);
    // A machine has arms for its own states and not for those of its regions, or of what it is in.
    let other = (!machine.graph.regions.is_empty())
        .then(|| quote!(_ => return __piton::Err(#parked.is_unknown()),));
    let run = if is_loop(machine, owner) {
        let (label, block, name) = (machine_label(owner), hidden("block"), block_type(owner));
        quote! {
            let mut #block = #name::At(#state);
            #label: loop {
                match #block { #(#arms)* #other }
            }
        }
    } else {
        quote!(match #state { #(#arms)* #other })
    };
    quote! {
        #(#slots)*
        #made
        #run
    }
}

/// `fn step`.
pub(super) fn step(machine: &Machine<'_>) -> TokenStream {
    let (cx, parked) = (context(), parked());
    let arguments = argument_tokens(machine);
    let mut described = Vec::new();
    let tokens = local_tokens(machine, &mut described);
    let checks = text_checks(machine);
    let operations = operation_tokens(machine);
    let outputs = regions::output_tokens(machine, &mut described);
    let describe = describe(machine, &described);
    let items = &machine.graph.items;
    let user_context = machine.function.context.as_ref().map(|context| {
        quote! {
            #[allow(unused_variables)]
            let #context: &__piton::Context = #cx;
        }
    });
    let mut run = run(machine, None);
    if !checks.is_empty() {
        let halted = hidden("halted");
        run = quote! {
            let #halted: ::core::result::Result<Self::Return, __piton::Halt> = { #run };
            #checks
            #halted
        };
    }
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
            #parked: &mut __piton::Parked,
            #cx: &__piton::Context,
        ) -> ::core::result::Result<Self::Return, __piton::Halt> {
            #(#items)*
            #user_context
            #arguments
            #tokens
            #operations
            #outputs
            if __piton::is_describing(#cx) {
                return __piton::Err(#describe);
            }
            #run
        }
    }
}

/// A token per argument.
fn argument_tokens(machine: &Machine<'_>) -> TokenStream {
    let params = &machine.function.params;
    let names = (0..params.len()).map(argument_token);
    let tokens = params.iter().map(|param| values_of(&param.ty));
    quote!(#(let #names = #tokens;)*)
}

/// Tells the types of the arguments, and the names and types of what is saved.
fn describe(machine: &Machine<'_>, described: &[(String, Ident)]) -> TokenStream {
    let cx = context();
    let arguments = (0..machine.function.params.len()).map(argument_token);
    let (names, tokens): (Vec<_>, Vec<_>) =
        described.iter().map(|(name, token)| (name, token)).unzip();
    quote! {
        __piton::describe(
            #cx,
            &[#(#arguments.kind),*],
            &[#(#names),*],
            &[#(#tokens.coding.described),*],
        )
    }
}

/// A token per saved variable.
///
/// The bound is on a function that is placed at the first await across which the variable is held,
/// and is asked for at the variable. So what rustc says of a value that cannot be saved shows both.
fn local_tokens(machine: &Machine<'_>, described: &mut Vec<(String, Ident)>) -> TokenStream {
    let layout = machine.layout;
    let mut made = BTreeSet::new();
    let mut out = TokenStream::new();
    for state in &layout.states {
        let Some(point) = state.point else { continue };
        let at = machine.graph.points[point.0].span;
        let new: Vec<_> = state.fields.iter().copied().filter(|id| made.insert(*id)).collect();
        for (kind, is_item, maker, ty) in [
            (LocalKind::Value, false, "local", quote_spanned!(at=> T)),
            (LocalKind::Value, true, "item", quote_spanned!(at=> T)),
            (LocalKind::Items, true, "item_list", quote_spanned!(at=> __piton::Items<T>)),
        ] {
            let is_of_kind = |id: &VariableId| {
                let variable = layout.variable(*id);
                let is_bound = machine.graph.locals[variable.place.local].item_of.is_some();
                variable.kind == kind && is_item == (is_bound || kind == LocalKind::Items)
            };
            let ids: Vec<_> = new.iter().copied().filter(is_of_kind).collect();
            if ids.is_empty() {
                continue;
            }
            let maker = Ident::new(maker, at);
            // rustc complains about lifetimes once for each of the two calls, unless they look alike.
            // Of the items of a loop it is to complain where it does of the loop.
            let (hygiene, bound) = if is_item {
                (Span::mixed_site(), Ident::new("DurableItem", at))
            } else {
                (at, Ident::new("Durable", at))
            };
            let function = Ident::new("held_across_this_await", hygiene.located_at(at));
            let tokens = ids.iter().map(|id| token(*id));
            let calls = ids.iter().map(|id| {
                let span = error_span(machine, layout.variable(*id), at);
                let inferred = quote_spanned!(span=> _);
                // What is never called is not compiled any further than to be checked.
                quote_spanned! {at=>
                    if false {
                        #function::<#inferred>()
                    } else {
                        __piton::#maker::<#inferred>()
                    }
                }
            });
            out.extend(quote_spanned! {at=>
                let (#(#tokens,)*) = {
                    fn #function<T: __piton::#bound>() -> __piton::Local<#ty> {
                        loop {}
                    }
                    (#(#calls,)*)
                };
            });
            described
                .extend(ids.iter().map(|id| (layout.variable(*id).stored.clone(), token(*id))));
        }
        // Their types are known, and can be saved.
        for id in new {
            let (token, variable) = (token(id), layout.variable(id));
            let maker = match variable.kind {
                LocalKind::Value | LocalKind::Items => continue,
                LocalKind::Text => Ident::new("static_text", at),
                LocalKind::Texts => Ident::new("static_texts", at),
            };
            out.extend(quote_spanned!(at=> let #token = __piton::#maker();));
            described.push((variable.stored.clone(), token));
        }
    }
    out
}

/// Asks of what may be a borrowed text whether it is one, once rustc knows the types. A `&str` is
/// `Deserialize` for its own lifetime, so that of the bound alone rustc would say in a later pass, and
/// of no variable, that it is not general enough.
fn text_checks(machine: &Machine<'_>) -> TokenStream {
    let layout = machine.layout;
    let mut made = BTreeSet::new();
    let mut out = TokenStream::new();
    for state in &layout.states {
        let Some(point) = state.point else { continue };
        let at = machine.graph.points[point.0].span;
        let is_checked = |id: &VariableId| {
            let variable = layout.variable(*id);
            let is_saved = matches!(variable.kind, LocalKind::Value | LocalKind::Items);
            is_saved && machine.graph.locals[variable.place.local].may_be_text
        };
        let new = state.fields.iter().copied().filter(|id| made.insert(*id)).filter(is_checked);
        let function = Ident::new("text_held_across_this_await", at);
        let calls: Vec<_> = new
            .map(|id| {
                let token = token(id);
                let span = error_span(machine, layout.variable(id), at).resolved_at(at);
                let inferred = quote_spanned!(span=> _);
                quote_spanned!(at=> __piton::held_as(&#token, #token.held(), #function::<_, #inferred>);)
            })
            .collect();
        if !calls.is_empty() {
            out.extend(quote_spanned! {at=>
                {
                    fn #function<T: 'static, H: __piton::Owned<T>>(_: &__piton::Local<T>, _: H) {}
                    #(#calls)*
                }
            });
        }
    }
    if !out.is_empty() {
        out = quote!(if false { use __piton::Held as _; #out });
    }
    out
}

/// Where rustc says that a variable cannot be saved. Of the items of a loop it says so once, where
/// they come from.
fn error_span(machine: &Machine<'_>, variable: &Variable, at: Span) -> Span {
    let locals = &machine.graph.locals;
    let local = &locals[variable.place.local];
    let span = locals[local.item_of.unwrap_or(variable.place.local)].ident.span();
    // rustc would look for what the compiler has made up in what the call was expanded from, which is
    // the attribute.
    if local.is_temporary { span.resolved_at(at) } else { span }
}

/// A token per awaited operation. Its span is the operation, so that rustc says there what cannot
/// be awaited.
fn operation_tokens(machine: &Machine<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for block in &machine.graph.blocks {
        let (point, maker, futures): (_, _, Vec<_>) = match &block.end {
            Terminator::Await { point, future, .. } => (point, "future", vec![Some(future)]),
            Terminator::Select { point, arms, .. } => {
                (point, "choice", arms.iter().map(|arm| arm.future.operation()).collect())
            }
            Terminator::Join { point, branches, .. } => {
                (point, "branch", branches.iter().map(Branch::operation).collect())
            }
            _ => continue,
        };
        for (index, future) in futures.into_iter().enumerate() {
            // A region has a token for its value alone.
            let Some(future) = future else { continue };
            let token = operation_token(*point, index);
            let (start, end) = ends(future.to_token_stream());
            let maker = Ident::new(maker, start);
            let call = quote_spanned!(start=> __piton::#maker::<_, _);
            let call_end = quote_spanned!(end=> >());
            out.extend(quote!(let #token = #call #call_end;));
        }
    }
    out
}

/// The spans of the first and the last token.
pub(super) fn ends(tokens: TokenStream) -> (Span, Span) {
    let mut tokens = tokens.into_iter().map(|token| token.span());
    let first = tokens.next().unwrap_or_else(Span::call_site);
    (first, tokens.last().unwrap_or(first))
}
