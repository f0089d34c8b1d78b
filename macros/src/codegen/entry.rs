//! The beginning of a segment: the variables of the scopes that are open there.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Expr, Index, Pat};

use super::add::add;
use super::exit::lent;
use super::large_literals::allowed;
use super::printer::Printer;
use super::rewrite::Rewrite;
use super::variables::{parked, slot, token};
use super::{Machine, add, variables};
use crate::collections::sets::Set;
use crate::frontend::parse::WorkflowFn;
use crate::ir::{BlockKind, LocalId, LocalKind, ScopeId};
use crate::layout::{Segment, VariableId, scope_path};
use crate::rematerialize::patterns;
use crate::syntax::hygiene::numbered;

/// What is made again.
struct MadeAgain {
    made: TokenStream,
    /// The type that has been written for it.
    ty: Option<TokenStream>,
    expr: Expr,
    /// What tells rustc that it is of the type that it is of elsewhere, and asks whether it is the same.
    tie: TokenStream,
}

impl Printer<'_> {
    /// Loads the arguments.
    pub(super) fn start(&self, out: &mut TokenStream) {
        let parked = parked();
        let WorkflowFn { params, id, .. } = self.machine.function;
        let is_of_id = |index| id.as_ref().is_some_and(|id| id.names(index));
        // A pattern that takes a value apart does so once all of them are there.
        let mut take_apart = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let token = variables::argument_token(index);
            match &*param.pat {
                Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                    let allow = is_of_id(index).then(|| quote!(#[allow(unused_variables)]));
                    add!(out, #allow let #pat = #parked.argument(#token););
                }
                pat => {
                    let argument = numbered("argument", index);
                    add!(out, let #argument = #parked.argument(#token););
                    take_apart.push((pat, argument));
                }
            }
        }
        for (pat, argument) in take_apart {
            add!(out, let #pat = #argument;);
        }
        params.iter().for_each(|param| add::made(out, self.ask_whose_parts(&param.pat)));
    }

    /// Makes the variables of a scope that is open where the segment begins. With the outermost come
    /// those that are in none of `open`, because they have been taken over from outside. Of the parts
    /// that the segment is not given it declares those that it has `filled`.
    pub(super) fn enter(
        &self,
        out: &mut TokenStream,
        scope: ScopeId,
        open: &[ScopeId],
        filled: &[VariableId],
    ) {
        let graph = self.machine.graph;
        let is_in = |scope: ScopeId, local| graph.scopes[scope.0].locals.contains(&local);
        let declares = |local: LocalId| {
            let is_given = !open.is_empty() && !open.iter().any(|scope| is_in(*scope, local));
            is_in(scope, local) || is_given
        };
        let mut loads = Vec::new();
        // Whether what has been printed last stands for what is not touched.
        let mut is_next = false;
        for local in self.declared_in_order().filter(|local| self.made[local.0]) {
            if !declares(local) {
                continue;
            }
            let of_local =
                |id: &&VariableId| self.machine.layout.variable(**id).place.local == local;
            let entry = self.segment.entry.iter().filter(of_local).copied();
            let (kept, here): (Vec<_>, Vec<_>) = entry.partition(|id| self.segment.keeps(*id));
            loads.extend(here);
            let is_declared = self.segment.declared.contains(&local);
            let is_dropped_here = self.segment.may_end && !kept.is_empty();
            if !loads.is_empty() && (is_declared || is_dropped_here) {
                self.load(out, std::mem::take(&mut loads));
                is_next = false;
            }
            if is_dropped_here {
                self.declare_untouched(out, &kept, is_next);
                is_next = true;
            }
            if is_declared {
                // Where it is declared in the source, rustc says whether it is used.
                let declare = self.declare(local);
                add::made(out, quote!(#[allow(unused_variables)] #declare));
                is_next = false;
            }
        }
        self.load(out, loads);
        for id in filled {
            let variable = self.machine.layout.variable(*id);
            if declares(variable.place.local) {
                add::made(out, self.declare_part(*id));
            }
        }
        let remade = self.segment.remade.iter().copied().filter(|local| declares(*local));
        if self.uses_locals() {
            for local in remade {
                let (ident, ty) = (&graph.locals[local].ident, self.type_again(local));
                add::made(out, quote!(let #ident #ty;));
            }
        } else {
            for MadeAgain { made, ty, expr, tie } in self.make_again(&remade.collect::<Vec<_>>()) {
                let allowed = allowed(&expr);
                add::made(out, quote!(#allowed let #made #ty = #expr; #tie));
            }
        }
        for (ident, expr) in self.hold_again(declares) {
            let value = (!self.uses_locals()).then(|| quote!(= #expr));
            let allowed = allowed(&expr);
            add::made(out, quote!(#allowed let #ident #value;));
        }
    }

    /// Makes borrows and the like again. Those that a pattern binds, one of them mutably, are made by one
    /// evaluation of it: rustc would not let them be made one after the other.
    fn make_again(&self, remade: &[LocalId]) -> Vec<MadeAgain> {
        let locals = &self.machine.graph.locals;
        let is_together = |a: &LocalId, b: &LocalId| {
            let pattern = locals[*a].shared_pattern();
            pattern.is_some() && pattern == locals[*b].shared_pattern()
        };
        let groups = remade.chunk_by(is_together).filter_map(|group| {
            let of_group = group.iter().map(|local| locals[*local].ident.clone());
            let idents: Vec<_> = of_group.collect();
            let mut check = None;
            let (mut expr, ty) = match (group, &locals[group[0]]) {
                ([id], local) => {
                    let made = local.rematerialized_by()?;
                    check = self.check_constants(*id, made);
                    (made.clone(), self.type_again(*id))
                }
                (_, local) => (patterns::together(local.shared_pattern()?, &idents), None),
            };
            Rewrite::new(self).visit_expr_mut(&mut expr);
            let tie = [Some(self.tie_again(group.iter().copied())), check];
            let tie = tie.into_iter().flatten().collect();
            Some(MadeAgain { made: patterns::tuple(&idents), ty, expr, tie })
        });
        groups.collect()
    }

    /// Makes again the borrows that positions in iterators stand for, and that the segment leaves to others.
    fn hold_again(&self, declares: impl Fn(LocalId) -> bool) -> Vec<(Ident, Expr)> {
        let held: Set<LocalId> = self.segment.held.values().flatten().copied().collect();
        let lent = held.into_iter().filter(|local| declares(*local)).filter_map(|local| {
            let (ident, expr) = lent(&self.machine.graph.locals[local])?;
            let mut expr = expr.clone();
            Rewrite::new(self).visit_expr_mut(&mut expr);
            Some((ident, expr))
        });
        lent.collect()
    }

    /// The type that has been written for what is made again.
    fn type_again(&self, local: LocalId) -> Option<TokenStream> {
        let ty = self.machine.graph.locals[local].ty.clone()?;
        Some(quote!(: #ty))
    }

    /// Makes again what the regions of the segment may make, too: theirs ends before.
    pub(super) fn make_again_late(&self) -> TokenStream {
        let made = self.make_again(&self.segment.remade).into_iter();
        let made = made.map(|MadeAgain { made, expr, tie, .. }| {
            let assign = assign(&made, &expr);
            quote!(#assign #tie)
        });
        let declares = |local| self.declared_in_order().any(|declared| declared == local);
        let held = self.hold_again(declares).into_iter();
        made.chain(held.map(|(ident, expr)| assign(&ident, &expr))).collect()
    }

    /// Whether the segment begins with a variable for a local, for each of them.
    pub(super) fn made_in(machine: &Machine<'_>, segment: &Segment) -> Vec<bool> {
        let mut made = vec![false; machine.graph.locals.ids().len()];
        for id in &segment.entry {
            made[machine.layout.variable(*id).place.local.0] = true;
        }
        for local in &segment.declared {
            made[local.0] = true;
        }
        made
    }

    /// The locals that are in scope where the segment begins, in the order of their declarations. What
    /// a region has taken over is declared outside of it.
    fn declared_in_order(&self) -> impl Iterator<Item = LocalId> + '_ {
        let graph = self.machine.graph;
        let scopes = scope_path(graph, graph[self.segment.block].scope);
        scopes.into_iter().flat_map(|scope| graph.scopes[scope.0].locals.iter().copied())
    }

    /// Makes variables that the segment is given, and looks at those that rustc would take for unused ones.
    fn load(&self, out: &mut TokenStream, entry: Vec<VariableId>) {
        if entry.is_empty() {
            return;
        }
        let variables = entry.iter().map(|id| self.machine.layout.variable(*id));
        let hidden = variables.filter(|variable| {
            let local = variable.place.local;
            // What is exposed may be there for others alone.
            self.segment.hidden.contains(&local)
                || self.machine.graph.locals[local].visibility.exposed
        });
        let hidden = hidden.map(|variable| &variable.ident);
        entry.iter().for_each(|id| self.make_loaded(out, *id));
        self.borrow_texts(out, &entry);
        for ident in hidden.filter(|ident| !ident.to_string().starts_with('_')) {
            add!(out, let _ = &#ident;);
        }
    }

    /// Borrows texts from what has been loaded for them.
    fn borrow_texts(&self, out: &mut TokenStream, entry: &[VariableId]) {
        for id in entry {
            let variable = self.machine.layout.variable(*id);
            if !variable.kind.may_borrow() {
                continue;
            }
            let (ident, text) = (&variable.ident, text_of(*id));
            let mutability = variable.mutable.then(|| Ident::new("mut", ident.span()));
            add!(out, let #mutability #ident =);
            if variable.kind == LocalKind::Cow {
                add!(out, __piton::Cow::<str>::Owned(#text););
            } else {
                let kept = variables::texts();
                add!(out, (&#kept).keep(#text););
            }
        }
    }

    fn make_loaded(&self, out: &mut TokenStream, id: VariableId) {
        let (machine, variable) = (self.machine, self.machine.layout.variable(id));
        if variable.kind.may_borrow() {
            let text = text_of(id);
            add!(out, let #text =);
        } else {
            let ident = &variable.ident;
            let mutability = variable.mutable.then(|| Ident::new("mut", ident.span()));
            add!(out, let #mutability #ident =);
        }
        let (token, slot, parked) = (token(id), slot(id), parked());
        match machine.graph[self.segment.block].kind {
            BlockKind::Resume(_) => {
                let position = self.position(id).map(Index::from);
                add!(out, (&#token).load(#parked, #position););
            }
            BlockKind::Region(region) => {
                let given = variables::taken_over(region, id);
                add!(out, (&mut #given).take(););
            }
            _ if variable.comes_saved => {
                add!(out, (&#token).take(&mut #slot, #parked);)
            }
            _ => add!(out, (&mut #slot).take();),
        }
    }

    pub(super) fn declare(&self, id: LocalId) -> TokenStream {
        let local = &self.machine.graph.locals[id];
        let ident = &local.ident;
        // rustc points at the binding with its `mut`.
        let mutability = local.mutable.then(|| quote_spanned!(ident.span()=> mut));
        let ty = local.ty.as_ref().map(|ty| quote!(: #ty));
        // Where it is read may be in another segment.
        let is_read = self.machine.layout.read.contains(&id);
        let allow = is_read.then(|| quote!(#[allow(unused_variables)]));
        let tie = self.tie([id]);
        quote!(#allow let #mutability #ident #ty; #tie)
    }
}

/// A text that has been loaded, to be borrowed from.
fn text_of(id: VariableId) -> Ident {
    numbered("x", id.0)
}

/// Gives what is made again to what is declared before it.
fn assign(made: &impl ToTokens, expr: &Expr) -> TokenStream {
    match allowed(expr) {
        Some(allowed) => quote!(#allowed { #made = #expr; }),
        None => quote!(#made = #expr;),
    }
}
