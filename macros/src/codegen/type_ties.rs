//! Values that must have the same type in several places: those of a local in several segments, and the outputs of
//! a region.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Stmt;

use super::printer::Printer;
use super::variables::type_token;
use crate::ir::LocalId;
use crate::ir::usage::Usage;
use crate::layout::{Alike, each_given};
use crate::syntax::hygiene::in_source;

/// Lets rustc know that a variable is of the type of a token: it could be assigned what that would give.
pub(super) fn tied(variable: &Ident, token: &Ident) -> TokenStream {
    quote!(if false { #variable = (&#token).value(); })
}

/// As [`tied`], of what cannot be assigned. rustc only infers the types, and checks no borrows, of what is
/// never come to.
fn same(function: &str, variable: &Ident, token: &Ident) -> TokenStream {
    let function = Ident::new(function, variable.span());
    let same = quote_spanned!(variable.span()=> __piton::#function(&#token, &#variable););
    quote!(if false { loop {} #same })
}

/// Makes a variable of the type of a token. If the value is of another one, rustc says so of the value, and
/// of the variable that it was expected there.
pub(super) fn given(variable: &Ident, token: &Ident, value: &impl ToTokens) -> TokenStream {
    let declare = quote_spanned!(variable.span()=> let mut #variable;);
    let tied = tied(variable, token);
    quote!(#declare #tied #variable = #value;)
}

impl Printer<'_> {
    /// Lets rustc know that locals are of the same type as in the other segments that assign them.
    pub(super) fn tie(&self, locals: impl IntoIterator<Item = LocalId>) -> TokenStream {
        let locals = locals.into_iter().map(|id| (id, &self.machine.graph.locals[id]));
        let assigned = locals.filter(|(id, local)| local.mutable && self.is_tied(*id));
        assigned.map(|(id, local)| tied(&local.ident, &type_token(id))).collect()
    }

    /// Lets rustc know that locals are of the same type as in the other segments that make them again.
    pub(super) fn tie_again(&self, locals: impl IntoIterator<Item = LocalId>) -> TokenStream {
        let alike = locals.into_iter().filter_map(|id| {
            let ident = &self.machine.graph.locals[id].ident;
            let function = match self.machine.layout.alike.get(&id)? {
                Alike::Value => "same_type".to_owned(),
                Alike::Takes(count) => format!("takes_{count}"),
                Alike::Calls(count) => format!("calls_{count}"),
            };
            Some(same(&function, ident, &type_token(id)))
        });
        alike.collect()
    }

    /// Gives a local its value.
    pub(super) fn give(&self, id: LocalId, value: &impl ToTokens) -> TokenStream {
        let ident = &self.machine.graph.locals[id].ident;
        let tied = self.tied_value(id, value);
        let value = tied.as_ref().map_or(value as &dyn ToTokens, |tied| tied);
        quote!(#ident = #value;)
    }

    /// The statement, if it gives locals values of which rustc is told something.
    pub(super) fn tied_when_given(&self, stmt: &Stmt, usage: &Usage) -> Option<Stmt> {
        usage.replaces.iter().find(|local| self.is_told_of(**local))?;
        let mut stmt = stmt.clone();
        each_given(&self.machine.graph.locals, &mut stmt, &mut |local, value| {
            if let Some(tied) = self.tied_value(local, value) {
                *value = syn::parse_quote!(#tied);
            }
        });
        Some(stmt)
    }

    fn tied_value(&self, id: LocalId, value: &impl ToTokens) -> Option<TokenStream> {
        if !self.is_told_of(id) {
            return None;
        }
        let local = &self.machine.graph.locals[id];
        let variable = in_source("given", local.ident.span());
        let ty = local.ty.as_ref().map(|ty| quote!(: #ty));
        let make = match self.is_tied_when_given(id) {
            true => given(&variable, &type_token(id), value),
            false => quote!(let #variable #ty = #value;),
        };
        let ask = self.ask_whose_parts_of(id, &variable);
        Some(quote!({ #make #ask #variable }))
    }

    fn is_told_of(&self, id: LocalId) -> bool {
        let mut in_parts = self.machine.layout.in_parts.iter();
        self.is_tied_when_given(id)
            || in_parts.any(|place| place.local == id)
            || self.machine.layout.spent_parts.contains_key(&id)
            || self.machine.layout.saved_in_parts.contains(&id)
    }

    /// Whether the local is tied where it is given its value, because it cannot be assigned before.
    fn is_tied_when_given(&self, id: LocalId) -> bool {
        !self.machine.graph.locals[id].mutable && self.is_tied(id)
    }

    fn is_tied(&self, id: LocalId) -> bool {
        self.machine.layout.tied.contains(&id)
    }
}
