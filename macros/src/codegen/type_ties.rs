//! Values that must have the same type in several places: those of a local in several segments, and the outputs of
//! a region.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Stmt;

use super::machine::Machine;
use super::part_ownership::tie_owner;
use super::split_locals::SplitLocals;
use super::variables::{part_token, type_token};
use crate::ir::LocalId;
use crate::ir::usage::Usage;
use crate::layout::{Layout, SharedType, each_assignment};
use crate::syntax::hygiene::in_source;

/// Ties a variable to a token: in unreachable code it is assigned a value of the token's type.
pub(super) fn tied(variable: &Ident, token: &Ident) -> TokenStream {
    quote!(if false { #variable = (&#token).value(); })
}

/// As [`tied`], for a variable that cannot be assigned. After `loop {}`, rustc infers types and checks no borrows.
fn same(function: &str, variable: &Ident, token: &Ident) -> TokenStream {
    let function = Ident::new(function, variable.span());
    let same = quote_spanned!(variable.span()=> __piton::#function(&#token, &#variable););
    quote!(if false { loop {} #same })
}

/// Makes a variable of the type of a token. If the value has another type, rustc reports the value, and the variable as
/// the reason for the expected type.
pub(super) fn given(variable: &Ident, token: &Ident, value: &impl ToTokens) -> TokenStream {
    let declare = quote_spanned!(variable.span()=> let mut #variable;);
    let tied = tied(variable, token);
    quote!(#declare #tied #variable = #value;)
}

/// Ties variables to the tokens of their locals, which other segments assign, too.
pub(super) fn tie(machine: &Machine<'_>, locals: impl IntoIterator<Item = LocalId>) -> TokenStream {
    let locals = locals.into_iter().map(|id| (id, &machine.graph.locals[id]));
    let assigned = locals.filter(|(id, local)| local.mutable && machine.layout.tied.contains(id));
    assigned.map(|(id, local)| tied(&local.ident, &type_token(id))).collect()
}

/// Ties variables to the tokens of their locals, which other segments rematerialize, too.
pub(super) fn tie_again(
    machine: &Machine<'_>,
    locals: impl IntoIterator<Item = LocalId>,
) -> TokenStream {
    let alike = locals.into_iter().filter_map(|id| {
        let ident = &machine.graph.locals[id].ident;
        let function = match machine.layout.alike.get(&id)? {
            SharedType::Value => "same_type".to_owned(),
            SharedType::Parameters(count) => format!("takes_{count}"),
            SharedType::Signature(count) => format!("calls_{count}"),
        };
        Some(same(&function, ident, &type_token(id)))
    });
    alike.collect()
}

/// Ties the parts that code is about to move out to the tokens with which other segments fill them.
pub(super) fn tie_parts(layout: &Layout, split: &SplitLocals<'_>, usage: &Usage) -> TokenStream {
    if usage.partial_moves.is_empty() {
        return TokenStream::new();
    }
    let tied = layout.filled_later().filter(|id| {
        let part = &layout.variable(*id).place;
        // A part that is vacant here has no variable.
        let mut own = split.parts_of(part.local).peekable();
        let is_there = own.peek().is_none() || own.any(|(own, _)| own.holds(part));
        is_there
            && usage.may_read(part)
            && usage.partial_moves.iter().any(|moved| part.holds(moved))
    });
    tied.map(|id| {
        let (place, token) = (split.place(&layout.variable(id).place), part_token(id));
        quote!(if false { (&#token).is_of(&#place); })
    })
    .collect()
}

/// Assigns a local.
pub(super) fn assign(machine: &Machine<'_>, id: LocalId, value: &impl ToTokens) -> TokenStream {
    let ident = &machine.graph.locals[id].ident;
    let tied = tied_value(machine, id, value);
    let value = tied.as_ref().map_or(value as &dyn ToTokens, |tied| tied);
    quote!(#ident = #value;)
}

/// The statement with ties around the values that it assigns, if any of them needs one.
pub(super) fn with_tied_values(machine: &Machine<'_>, stmt: &Stmt, usage: &Usage) -> Option<Stmt> {
    usage.reassigned.iter().find(|local| needs_tied_value(machine, **local))?;
    let mut stmt = stmt.clone();
    each_assignment(&machine.graph.locals, &mut stmt, &mut |local, value| {
        if let Some(tied) = tied_value(machine, local, value) {
            *value = syn::parse_quote!(#tied);
        }
    });
    Some(stmt)
}

fn tied_value(machine: &Machine<'_>, id: LocalId, value: &impl ToTokens) -> Option<TokenStream> {
    if !needs_tied_value(machine, id) {
        return None;
    }
    let local = &machine.graph.locals[id];
    let variable = in_source("given", local.ident.span());
    let ty = local.ty.as_ref().map(|ty| quote!(: #ty));
    let make = match is_tied_by_value(machine, id) {
        true => given(&variable, &type_token(id), value),
        false => quote!(let #variable #ty = #value;),
    };
    let ask = tie_owner(machine, id, &variable);
    Some(quote!({ #make #ask #variable }))
}

/// Whether a token learns the local's type from each value that is assigned to it.
fn needs_tied_value(machine: &Machine<'_>, id: LocalId) -> bool {
    let Layout { in_parts, spent_parts, saved_in_parts, .. } = machine.layout;
    is_tied_by_value(machine, id)
        || in_parts.iter().any(|place| place.local == id)
        || spent_parts.contains_key(&id)
        || saved_in_parts.contains(&id)
}

/// Whether the local is tied by its values, because it is not `mut` and [`tied`] would assign it once more.
fn is_tied_by_value(machine: &Machine<'_>, id: LocalId) -> bool {
    !machine.graph.locals[id].mutable && machine.layout.tied.contains(&id)
}
