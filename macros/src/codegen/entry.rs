//! The beginning of an arm: the arguments, and the variables of the scopes that are open there.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Index, Pat};

use super::add::add;
use super::arm::Arm;
use super::machine::Machine;
use super::part_ownership::tie_owners;
use super::type_ties::{tie, tied};
use super::untouched::Untouched;
use super::variables::{parked, part_token, slot, token};
use super::{add, variables};
use crate::frontend::parse::WorkflowFn;
use crate::ir::{BlockKind, LocalId, LocalKind, ScopeId};
use crate::layout::VariableId;
use crate::syntax::hygiene::numbered;

/// Loads the arguments.
pub(super) fn start(machine: &Machine<'_>, out: &mut TokenStream) {
    let parked = parked();
    let WorkflowFn { params, id, .. } = machine.function;
    let is_of_id = |index| id.as_ref().is_some_and(|id| id.names(index));
    // Patterns destructure their arguments once all arguments are loaded.
    let mut patterns = Vec::new();
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
                patterns.push((pat, argument));
            }
        }
    }
    for (pat, argument) in patterns {
        add!(out, let #pat = #argument;);
    }
    params.iter().for_each(|param| add::made(out, tie_owners(machine, &param.pat)));
}

/// Declares a local without a value.
pub(super) fn declare(machine: &Machine<'_>, id: LocalId) -> TokenStream {
    let local = &machine.graph.locals[id];
    let ident = &local.ident;
    // rustc points at the binding with its `mut`.
    let mutability = local.mutable.then(|| quote_spanned!(ident.span()=> mut));
    let ty = local.ty.as_ref().map(|ty| quote!(: #ty));
    // Another segment may read it.
    let is_read = machine.layout.read.contains(&id);
    let allow = is_read.then(|| quote!(#[allow(unused_variables)]));
    let tie = tie(machine, [id]);
    quote!(#allow let #mutability #ident #ty; #tie)
}

/// Makes the variables of the scopes that are open where a segment begins.
pub(super) struct Entry<'a> {
    arm: Arm<'a>,
    /// By local, whether the arm begins with a variable for it.
    has_variable: Vec<bool>,
    /// The unfilled parts that the arm declares.
    filled: Vec<VariableId>,
    pub(super) untouched: Untouched,
}

impl<'a> Entry<'a> {
    pub(super) fn new(arm: Arm<'a>, filled: Vec<VariableId>) -> Self {
        let Machine { graph, layout, .. } = arm.machine;
        let mut has_variable = vec![false; graph.locals.ids().len()];
        let received = arm.segment.entry.iter().map(|id| layout.variable(*id).place.local);
        for local in received.chain(arm.segment.declared.iter().copied()) {
            has_variable[local.0] = true;
        }
        Self { arm, has_variable, filled, untouched: Untouched::default() }
    }

    /// Whether the variable of a local is made with those of a scope. With the outermost scope, which has all that are
    /// `open`, come the locals that a region has taken over from outside of them.
    pub(super) fn declares(&self, scope: ScopeId, open: &[ScopeId], local: LocalId) -> bool {
        let is_in =
            |scope: &ScopeId| self.arm.machine.graph.scopes[scope.0].locals.contains(&local);
        is_in(&scope) || !open.is_empty() && !open.iter().any(is_in)
    }

    /// Makes the variables of one scope, in the order of the source.
    pub(super) fn make(&mut self, out: &mut TokenStream, scope: ScopeId, open: &[ScopeId]) {
        let Arm { machine, segment } = self.arm;
        let mut loads = Vec::new();
        // Whether the last declaration was that of untouched locals.
        let mut adjacent = false;
        for local in self.arm.declared_in_order() {
            if !self.has_variable[local.0] || !self.declares(scope, open, local) {
                continue;
            }
            let is_of_local = |id: &&VariableId| machine.layout.variable(**id).place.local == local;
            let entry = segment.entry.iter().filter(is_of_local).copied();
            let (kept, here): (Vec<_>, Vec<_>) = entry.partition(|id| segment.keeps(*id));
            loads.extend(here);
            let is_declared = segment.declared.contains(&local);
            let dropped = kept.first().filter(|_| segment.may_end);
            if !loads.is_empty() && (is_declared || dropped.is_some()) {
                self.load(out, &std::mem::take(&mut loads));
                adjacent = false;
            }
            if let Some(first) = dropped {
                if let Some(first) = self.arm.position(*first) {
                    self.untouched.declare(out, first..first + kept.len(), adjacent);
                }
                adjacent = true;
            }
            if is_declared {
                // rustc reports an unused variable where the source declares it.
                let declare = declare(machine, local);
                add::made(out, quote!(#[allow(unused_variables)] #declare));
                adjacent = false;
            }
        }
        self.load(out, &loads);
        for id in &self.filled {
            let variable = machine.layout.variable(*id);
            if self.declares(scope, open, variable.place.local) {
                // It has the type of the part that another segment moves out.
                let ident = &variable.ident;
                let tied = tied(ident, &part_token(*id));
                let declare = quote_spanned!(ident.span()=> let mut #ident;);
                add::made(out, quote!(#[allow(unused_variables)] #declare #tied));
            }
        }
    }

    /// Loads variables, and uses those that rustc would report as unused.
    fn load(&self, out: &mut TokenStream, entry: &[VariableId]) {
        let Arm { machine, segment } = self.arm;
        entry.iter().for_each(|id| self.load_one(out, *id));
        entry.iter().for_each(|id| self.borrow_text(out, *id));
        for variable in entry.iter().map(|id| machine.layout.variable(*id)) {
            let (ident, local) = (&variable.ident, variable.place.local);
            // Perhaps only views read an exposed local.
            let is_unused =
                segment.hidden.contains(&local) || machine.graph.locals[local].visibility.exposed;
            if is_unused && !ident.to_string().starts_with('_') {
                add!(out, let _ = &#ident;);
            }
        }
    }

    /// Makes a variable with the value that the segment receives.
    fn load_one(&self, out: &mut TokenStream, id: VariableId) {
        let variable = self.arm.machine.layout.variable(id);
        if variable.kind.may_borrow() {
            let text = text_of(id);
            add!(out, let #text =);
        } else {
            let ident = &variable.ident;
            let mutability = variable.mutable.then(|| Ident::new("mut", ident.span()));
            add!(out, let #mutability #ident =);
        }
        let (token, slot, parked) = (token(id), slot(id), parked());
        match self.arm.block().kind {
            BlockKind::Resume(_) => {
                let position = self.arm.position(id).map(Index::from);
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

    /// Makes the variable for a borrowed text from the text that has been loaded.
    fn borrow_text(&self, out: &mut TokenStream, id: VariableId) {
        let variable = self.arm.machine.layout.variable(id);
        if !variable.kind.may_borrow() {
            return;
        }
        let (ident, text) = (&variable.ident, text_of(id));
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

/// A text that has been loaded, from which a variable borrows.
fn text_of(id: VariableId) -> Ident {
    numbered("x", id.0)
}
