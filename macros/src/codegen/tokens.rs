//! Type tokens, with which rustc infers the types of locals, arguments and operations.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprLit, Lit, Pat, PatIdent, Stmt, Type};

use super::add::{Piece, add, add_at};
use super::first_awaits::{error_span, first_held};
use super::machine::Machine;
use super::variables::{
    argument_token, context, operation_token, parked, part_token, token, token_of_await, type_token,
};
use super::{add, literals};
use crate::collections::sets::Set;
use crate::ir::usage::bound_locals;
use crate::ir::{Branch, LocalId, LocalKind, Node, PointId, Terminator, start_of};
use crate::layout::{Variable, VariableId};

/// The tokens of locals and parts that several segments assign: [`type_token`], [`part_token`].
pub(super) fn types(machine: &Machine<'_>) -> TokenStream {
    let tied = machine.layout.tied.iter().copied();
    let locals: Set<_> = tied.chain(machine.layout.alike.keys().copied()).collect();
    let locals = locals.into_iter().map(type_token);
    let tokens = locals.chain(machine.layout.filled_later().map(part_token));
    tokens.map(|token| quote!(let #token = __piton::TypeOf::new();)).collect()
}

/// A token per argument.
pub(super) fn arguments(machine: &Machine<'_>, out: &mut TokenStream) {
    for (index, param) in machine.function.params.iter().enumerate() {
        let token = argument_token(index);
        let ty = &param.ty;
        add!(out, let #token = __piton::ValuesOf::<#ty>::VALUES;);
    }
}

/// The call that begins a step, with the names and types of the saved variables.
pub(super) fn begin(machine: &Machine<'_>, described: &[(String, Ident)]) -> TokenStream {
    let (parked, cx) = (parked(), context());
    let (names, tokens): (Vec<_>, Vec<_>) =
        described.iter().map(|(name, token)| (&**name, token)).unzip();
    let names = names.join("\n");
    let awaited = awaited(machine);
    quote! {
        #parked.begin_step(
            #cx,
            #names,
            &[#(&#tokens.coding.kind),*],
            &[#(#awaited.awaited),*],
        )
    }
}

/// The tokens of the awaited operations, in the order of the states.
fn awaited(machine: &Machine<'_>) -> Vec<Ident> {
    let mut by_point = vec![Vec::new(); machine.graph.points.len()];
    for (point, _, tokens) in awaits(machine) {
        by_point[point.0] = tokens.into_iter().map(|(token, _)| token).collect();
    }
    let points = machine.layout.states.iter().filter_map(|state| state.point);
    points.flat_map(|point| std::mem::take(&mut by_point[point.0])).collect()
}

/// By point, the type of the tokens, and the token of each operation. `async` blocks have none.
fn awaits<'a>(
    machine: &'a Machine<'_>,
) -> impl Iterator<Item = (PointId, &'static str, Vec<(Ident, &'a Expr)>)> {
    machine.graph.blocks.iter().filter_map(|block| {
        let (point, kind, futures): (_, _, Vec<_>) = match &block.end {
            Terminator::Await { point, future, .. } => {
                return Some((*point, "Fut", vec![(token_of_await(*point, future), future)]));
            }
            Terminator::Select { point, arms, .. } => {
                (*point, "Choice", arms.iter().map(|arm| arm.future.operation()).collect())
            }
            Terminator::Join { point, branches, .. } => {
                (*point, "Branch", branches.iter().map(Branch::operation).collect())
            }
            _ => return None,
        };
        let operations = futures.into_iter().enumerate();
        let tokens =
            operations.filter_map(|(index, future)| Some((operation_token(point, index), future?)));
        Some((point, kind, tokens.collect()))
    })
}

/// A token per saved variable.
///
/// The bound is on a function at the first await across which the variable is held, and is required at the variable. So
/// rustc's error shows both.
pub(super) fn locals(
    machine: &Machine<'_>,
    out: &mut TokenStream,
    described: &mut Vec<(String, Ident)>,
) {
    let layout = machine.layout;
    let sure = surely_saved(machine);
    for (at, mut new) in first_held(machine) {
        new.retain(|id| {
            let (token, variable) = (token(*id), layout.variable(*id));
            if let Some(ty) = argument_type(machine, *id) {
                add!(out, let #token = __piton::ValuesOf::<#ty>::LOCAL;);
            } else if let Some(maker) = sure_maker(machine, variable, &sure) {
                let span = error_span(machine, variable, at);
                let maker = Ident::new(maker, span);
                add_at!(out, at, let #token =);
                add_at!(out, span, __piton::#maker());
                add_at!(out, at, ;);
            } else {
                return true;
            }
            described.push((variable.stored.clone(), token));
            false
        });
        for (kind, is_item, maker) in [
            (LocalKind::Value, false, "local"),
            (LocalKind::Value, true, "item"),
            (LocalKind::Items, true, "item_list"),
            (LocalKind::Range, false, "inclusive_range"),
        ] {
            let is_of_kind = |id: &VariableId| {
                let variable = layout.variable(*id);
                let is_bound = machine.graph.locals[variable.place.local].saving.item_of.is_some();
                let is_bound = is_bound && kind != LocalKind::Range;
                variable.kind == kind
                    && is_item == (is_bound || kind == LocalKind::Items)
                    && !literals::is_by_type(machine, *id)
            };
            let ids: Vec<_> = new.iter().copied().filter(is_of_kind).collect();
            if ids.is_empty() {
                continue;
            }
            let maker = Ident::new(maker, at);
            // rustc reports lifetimes once for both calls if they look alike, and for items of a loop, once at the
            // loop.
            let (hygiene, bound) = if is_item {
                (Span::mixed_site(), Ident::new("DurableItem", at))
            } else {
                (at, Ident::new("Durable", at))
            };
            let function = Ident::new("held_across_this_await", hygiene.located_at(at));
            let ty = Piece(|out: &mut TokenStream| match kind {
                LocalKind::Items => add_at!(out, at, __piton::Items<T>),
                LocalKind::Range => add_at!(out, at, ::core::ops::RangeInclusive<T>),
                _ => add_at!(out, at, T),
            });
            let tokens = Piece(|out: &mut TokenStream| {
                for token in ids.iter().map(|id| token(*id)) {
                    add_at!(out, at, #token,);
                }
            });
            let calls = Piece(|out: &mut TokenStream| {
                for id in &ids {
                    let span = error_span(machine, layout.variable(*id), at);
                    let inferred = Ident::new("_", span);
                    // Code that is never called is only checked.
                    add_at!(out, at, if false { #function::<#inferred>() });
                    add_at!(out, at, else { __piton::#maker::<#inferred>() },);
                }
            });
            add_at!(out, at, let (#tokens) = {
                fn #function<T: __piton::#bound>() -> __piton::Local<#ty> { loop {} }
                (#calls)
            };);
            described
                .extend(ids.iter().map(|id| (layout.variable(*id).stored.clone(), token(*id))));
        }
        // These types are known to be saveable.
        for id in new {
            let (token, variable) = (token(id), layout.variable(id));
            let maker = match variable.kind {
                LocalKind::Value | LocalKind::Items if literals::is_by_type(machine, id) => {
                    add::made(out, literals::token(machine, id, at));
                    described.push((variable.stored.clone(), token));
                    continue;
                }
                LocalKind::Value | LocalKind::Items | LocalKind::Range => continue,
                LocalKind::Text => Ident::new("static_text", at),
                LocalKind::Lent | LocalKind::Cow => Ident::new("lent_text", at),
                LocalKind::Texts => Ident::new("static_texts", at),
            };
            add_at!(out, at, let #token = __piton::#maker(););
            described.push((variable.stored.clone(), token));
        }
    }
}

/// The function that makes the token of a variable, if it is among those that are `sure` to be saveable.
fn sure_maker(
    machine: &Machine<'_>,
    variable: &Variable,
    sure: &[LocalId],
) -> Option<&'static str> {
    let local = variable.place.local;
    let item_of = machine.graph.locals[local].saving.item_of;
    if !variable.place.fields.is_empty() || !sure.contains(&item_of.unwrap_or(local)) {
        return None;
    }
    match variable.kind {
        LocalKind::Value if item_of.is_some() => Some("item"),
        LocalKind::Value => Some("local"),
        LocalKind::Items => Some("item_list"),
        _ => None,
    }
}

/// The locals for which other code already requires that they can be saved: arguments, results of operations and the
/// values in their `Ok`, items of these, and numbers.
fn surely_saved(machine: &Machine<'_>) -> Vec<LocalId> {
    let locals = &machine.graph.locals;
    let params = machine.function.params.iter().map(|param| &*param.pat);
    let whole = params.filter(|pat| matches!(pat, Pat::Ident(_)));
    let mut sure: Vec<_> = whole.flat_map(|pat| bound_locals(locals, pat)).collect();
    for block in &machine.graph.blocks {
        if let Terminator::Await { pat: pat @ Pat::Ident(_), .. } = &block.end {
            sure.extend(bound_locals(locals, pat));
        }
    }
    for node in machine.graph.blocks.iter().flat_map(|block| &block.nodes) {
        let Node::Code(Stmt::Local(syn::Local { pat, init: Some(init), .. })) = node else {
            continue;
        };
        let of = match &*init.expr {
            Expr::Try(tried) => Some(&*tried.expr),
            // The remaining items of a loop.
            Expr::Call(call) if matches!(&*call.func, Expr::Verbatim(_)) => call.args.first(),
            _ => None,
        };
        let is_sure = match (&*init.expr, of) {
            (Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_), .. }), _) => true,
            (_, Some(Expr::Path(of))) => sure.iter().any(|id| of.path.is_ident(&locals[*id].ident)),
            _ => false,
        };
        if is_sure && matches!(pat, Pat::Ident(_)) {
            sure.extend(bound_locals(locals, pat));
        }
    }
    sure
}

/// The type of a variable that is an argument. The signature requires that it can be saved.
fn argument_type<'a>(machine: &Machine<'a>, id: VariableId) -> Option<&'a Type> {
    let place = &machine.layout.variable(id).place;
    let local = &machine.graph.locals[place.local].ident;
    let param = machine.function.params.iter().find(|param| {
        matches!(&*param.pat, Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. })
            if ident == local)
    });
    let is_whole = place.fields.is_empty() && machine.layout.variable(id).kind != LocalKind::Range;
    param.filter(|_| is_whole).map(|param| &*param.ty)
}

/// Queries whether locals are borrowed texts, after rustc knows the types. A `&str` is `Deserialize` for its own
/// lifetime, so that the bound alone would fail in a later pass, with an error that names no variable.
pub(super) fn text_checks(machine: &Machine<'_>) -> TokenStream {
    let layout = machine.layout;
    let is_checked = |id: &VariableId| {
        machine.graph.locals[layout.variable(*id).place.local].saving.may_be_text
            && !literals::is_by_type(machine, *id)
    };
    let mut out = TokenStream::new();
    for (at, new) in first_held(machine) {
        out.extend(new.iter().map(|id| literals::select_encoding(machine, *id, at)));
        for (kind, bound, ty) in [
            (LocalKind::Value, "Owned", quote_spanned!(at=> T)),
            (LocalKind::Items, "OwnedItems", quote_spanned!(at=> __piton::Items<T>)),
        ] {
            let is_of_kind = |id: &VariableId| layout.variable(*id).kind == kind;
            let checked = new.iter().copied().filter(is_checked).filter(is_of_kind);
            let (bound, function) =
                (Ident::new(bound, at), Ident::new("text_held_across_this_await", at));
            let calls: Vec<_> = checked
                .map(|id| {
                    let token = token(id);
                    let span = error_span(machine, layout.variable(id), at).resolved_at(at);
                    let inferred = quote_spanned!(span=> _);
                    let check = quote_spanned!(at=> #function::<_, #inferred>);
                    quote_spanned!(at=> __piton::held_as(&#token, #token.piton_held(), #check);)
                })
                .collect();
            if !calls.is_empty() {
                out.extend(quote_spanned! {at=>
                    {
                        fn #function<T: 'static, H: __piton::#bound<T>>(
                            _: &__piton::Local<#ty>,
                            _: H,
                        ) {
                        }
                        #(#calls)*
                    }
                });
            }
        }
    }
    if !out.is_empty() {
        out = quote!(if false { use __piton::Held as _; #out });
    }
    out
}

/// A token per awaited operation. It has the span of the operation, where rustc reports types that cannot be awaited.
pub(super) fn operations(machine: &Machine<'_>, out: &mut TokenStream) {
    for (_, kind, tokens) in awaits(machine) {
        for (token, future) in tokens {
            let start = start_of(future);
            let kind = Ident::new(kind, start);
            add!(out, let #token =);
            add_at!(out, start, __piton::#kind::TOKEN);
            add!(out, ;);
        }
    }
}
