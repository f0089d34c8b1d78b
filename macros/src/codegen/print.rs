//! One arm of the step function: a root and the blocks that belong to it.

use std::cell::{Cell, RefCell};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Expr, Index, Pat, Stmt};

use super::Machine;
use super::rewrite::Rewrite;
use super::step::{self, parked, slot, token};
use crate::hygiene::{hidden, hidden_at};
use crate::ir::{BlockId, BlockKind, Branch, LocalId, Node, ScopeId, TargetId, Terminator};
use crate::layout::{Link, Root, VariableId, scope_path};
use crate::usage::{Place, Usage, bound_locals};

/// Prints the blocks of one root.
pub(super) struct Printer<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) root: &'a Root,
    /// The parts of locals that are not whole here, each with its variable.
    pub(super) parts: Vec<(Place, Ident)>,
    /// The node that is being printed, by its block and position.
    at: Cell<(BlockId, usize)>,
    /// What fills the parts that the end being printed has taken.
    pub(super) filling: RefCell<TokenStream>,
}

/// Where a variable is. See [`Root::keeps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// It is a variable here.
    Here,
    /// It is as it was in the state before, at this position.
    Parked(usize),
    /// It is in its slot.
    Slot,
}

/// The scopes that are open where tokens are added.
struct Braces(Vec<(ScopeId, TokenStream)>);

impl Braces {
    fn push(&mut self, tokens: impl ToTokens) {
        if let Some((_, top)) = self.0.last_mut() {
            tokens.to_tokens(top);
        }
    }

    fn open(&mut self, scope: ScopeId) {
        self.0.push((scope, TokenStream::new()));
    }

    fn close(&mut self) {
        if let Some((_, inner)) = self.0.pop() {
            self.push(quote!({ #inner }));
        }
    }

    /// Closes the scopes that are not around `scope`.
    fn close_to(&mut self, scope: ScopeId) {
        while self.0.len() > 1 && self.0.last().is_some_and(|(open, _)| *open != scope) {
            self.close();
        }
    }

    fn finish(mut self) -> TokenStream {
        while self.0.len() > 1 {
            self.close();
        }
        self.0.pop().map(|(_, tokens)| tokens).unwrap_or_default()
    }
}

/// The parts of locals that are variables of their own in a root, and in what it is in.
fn parts_in(machine: &Machine<'_>, root: &Root) -> Vec<(Place, Ident)> {
    let variables = root.entry.iter().chain(&root.unfilled);
    let variables = variables.map(|id| machine.layout.variable(*id));
    let parts = variables.filter(|variable| !variable.place.fields.is_empty());
    let mut parts: Vec<_> = parts.map(|it| (it.place.clone(), it.ident.clone())).collect();
    let outside = machine.graph[root.block].region.and_then(|region| {
        let kind = BlockKind::Resume(machine.graph[region].point);
        machine.layout.roots.iter().find(|root| machine.graph[root.block].kind == kind)
    });
    parts.extend(outside.into_iter().flat_map(|root| parts_in(machine, root)));
    parts
}

impl<'a> Printer<'a> {
    pub(super) fn new(machine: &'a Machine<'a>, root: &'a Root) -> Self {
        Self {
            machine,
            root,
            parts: parts_in(machine, root),
            at: Cell::new((root.block, 0)),
            filling: RefCell::default(),
        }
    }

    /// The arm.
    pub(super) fn arm(&self) -> TokenStream {
        let block = &self.machine.graph[self.root.block];
        let mut path = scope_path(self.machine.graph, block.scope);
        if let Some(region) = block.region {
            // What is outside is outside of its closure, or has become its own.
            let own = self.machine.graph[region].scope;
            path.retain(|scope| scope_path(self.machine.graph, *scope).contains(&own));
        }
        let mut braces = Braces(Vec::new());
        for (depth, scope) in path.iter().enumerate() {
            braces.open(*scope);
            braces.push(self.enter(*scope, if depth == 0 { &path } else { &[] }));
        }
        let (pattern, before) = match block.kind {
            BlockKind::Start => {
                braces.push(TokenStream::new());
                self.start()
            }
            BlockKind::Region(region) => {
                let start = self.machine.layout.start_of(region);
                let pattern = start.map(|state| step::arm_of_state(self.machine, state));
                (pattern.unwrap_or_default(), TokenStream::new())
            }
            BlockKind::Resume(point) => {
                if self.uses_locals() {
                    braces.push(self.step_branches(point));
                }
                braces.push(self.bind_awaited(point));
                self.resume(point)
            }
            _ => (step::arm_of_root(self.machine, self.root.block), TokenStream::new()),
        };
        self.chain(self.root.block, &mut braces);
        let body = braces.finish();
        quote!(#pattern => { #before #body })
    }

    fn start(&self) -> (TokenStream, TokenStream) {
        let parked = parked();
        let pattern = step::arm_of_state(self.machine, &self.machine.layout.states[0]);
        let params = &self.machine.function.params;
        if params.is_empty() {
            return (pattern, TokenStream::new());
        }
        let arguments = hidden("arguments");
        // A pattern that takes a value apart does so once all of them are there.
        let mut take_apart = TokenStream::new();
        let idents = params.iter().enumerate().map(|(index, param)| match &*param.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                pat.to_token_stream()
            }
            pat => {
                let ident = hidden(&format!("argument{index}"));
                take_apart.extend(quote!(let #pat = #ident;));
                ident.to_token_stream()
            }
        });
        let idents: Vec<_> = idents.collect();
        let tokens = (0..params.len()).map(step::argument_token);
        let load = quote! {
            let mut #arguments = #parked.arguments();
            let (#(::core::option::Option::Some(#idents),)*) =
                (#((#tokens.next)(&mut #arguments),)*)
            else {
                return ::core::result::Result::Err(::piton::__private::unreadable(#arguments));
            };
            #take_apart
        };
        (pattern, load)
    }

    /// Makes the variables of a scope that is open where the root begins. With the outermost come
    /// those that are in none of `open`, because they have been taken over from outside.
    fn enter(&self, scope: ScopeId, open: &[ScopeId]) -> TokenStream {
        let graph = self.machine.graph;
        let is_in = |scope: ScopeId, local| graph.scopes[scope.0].locals.contains(&local);
        let declares = |local: LocalId| {
            let is_given = !open.is_empty() && !open.iter().any(|scope| is_in(*scope, local));
            is_in(scope, local) || is_given
        };
        let mut out = TokenStream::new();
        let mut loads = Vec::new();
        for local in self.declared_in_order() {
            if !declares(local) {
                continue;
            }
            let of_local =
                |id: &&VariableId| self.machine.layout.variable(**id).place.local == local;
            let entry = self.root.entry.iter().filter(of_local);
            loads.extend(entry.copied().filter(|id| !self.root.keeps(*id)));
            let carried = self.root.carried.iter().find(of_local);
            let is_declared = self.root.declared.contains(&local);
            if carried.is_some() || is_declared {
                out.extend(self.load(std::mem::take(&mut loads)));
            }
            if is_declared {
                // Where it is declared in the source, rustc says whether it is used.
                let declare = self.declare(local);
                out.extend(quote!(#[allow(unused_variables)] #declare));
            }
            out.extend(carried.map(|id| self.take_carried(*id, is_declared)));
        }
        out.extend(self.load(loads));
        for part in self.root.gone.iter().filter(|part| declares(part.local)) {
            let is_kept = |id: &VariableId| {
                self.machine.layout.variable(*id).place.local == part.local && self.root.keeps(*id)
            };
            if !self.root.entry.iter().any(is_kept) {
                let part = self.place(part);
                out.extend(quote!(::piton::__private::forget(#part);));
            }
        }
        for id in &self.root.unfilled {
            let variable = self.machine.layout.variable(*id);
            if declares(variable.place.local) {
                let ident = &variable.ident;
                out.extend(quote!(#[allow(unused_variables)] let mut #ident;));
            }
        }
        for local in &self.root.remade {
            if declares(*local)
                && let Some(expr) = &graph.locals[*local].remade
            {
                let mut expr = expr.clone();
                Rewrite::new(self).visit_expr_mut(&mut expr);
                let ident = &graph.locals[*local].ident;
                let ty = graph.locals[*local].ty.as_ref().map(|ty| quote!(: #ty));
                out.extend(quote!(let #ident #ty = #expr;));
            }
        }
        out
    }

    /// The locals that are in scope where the root begins, in the order of their declarations. What
    /// a region has taken over is declared outside of it.
    fn declared_in_order(&self) -> impl Iterator<Item = LocalId> + '_ {
        let graph = self.machine.graph;
        let scopes = scope_path(graph, graph[self.root.block].scope);
        scopes.into_iter().flat_map(|scope| graph.scopes[scope.0].locals.iter().copied())
    }

    /// Makes variables that the root is given.
    fn load(&self, entry: Vec<VariableId>) -> TokenStream {
        let mut out = TokenStream::new();
        let pats = entry.iter().map(|id| {
            let variable = self.machine.layout.variable(*id);
            let ident = &variable.ident;
            let mutability = variable.mutable.then(|| quote!(mut));
            quote!(#mutability #ident)
        });
        if matches!(self.machine.graph[self.root.block].kind, BlockKind::Resume(_)) {
            let tokens = entry.iter().map(|id| token(*id));
            let positions = entry.iter().filter_map(|id| self.position(*id)).map(Index::from);
            let (pats, parked) = (pats.collect::<Vec<_>>(), parked());
            if let ([pat], [id]) = (&pats[..], &entry[..]) {
                let token = token(*id);
                out.extend(unwrap(pat, &quote!(#token.load(#parked, #(#positions)*))));
            } else if !entry.is_empty() {
                let (tokens, pats) = (tuple(tokens.map(|it| quote!(&#it)).collect()), tuple(pats));
                out.extend(unwrap(&pats, &quote!(#parked.load(#tokens, &[#(#positions),*]))));
            }
        } else if let BlockKind::Region(region) = self.machine.graph[self.root.block].kind {
            for (id, pat) in entry.iter().zip(pats) {
                let given = super::regions::given(region, *id);
                out.extend(quote!(let #pat = #given.take();));
            }
        } else {
            for (id, pat) in entry.iter().zip(pats) {
                let slot = slot(*id);
                out.extend(if self.machine.layout.variable(*id).comes_saved {
                    let token = token(*id);
                    unwrap(&pat, &quote!(#token.take(&mut #slot)))
                } else {
                    quote!(let #pat = #slot.take();)
                });
            }
        }
        out
    }

    /// Takes what may have come only to be dropped, so that this happens at the end of its scope, or
    /// where the code assigns something else to the variable.
    fn take_carried(&self, id: VariableId, is_declared: bool) -> TokenStream {
        let (slot, held) = (slot(id), carried(id));
        if is_declared {
            let ident = &self.machine.layout.variable(id).ident;
            quote!(if let ::core::option::Option::Some(#held) = #slot.carried() { #ident = #held; })
        } else {
            quote!(let #held = #slot.carried();)
        }
    }

    fn declare(&self, id: LocalId) -> TokenStream {
        let local = &self.machine.graph.locals[id];
        let ident = &local.ident;
        let mutability = local.mutable.then(|| quote!(mut));
        let ty = local.ty.as_ref().map(|ty| quote!(: #ty));
        // Where it is read may be in another root.
        let is_read = self.machine.layout.read.contains(&id);
        let allow = is_read.then(|| quote!(#[allow(unused_variables)]));
        quote!(#allow let #mutability #ident #ty;)
    }

    /// Looks at what a pattern has bound, where that is a value that nobody else sees.
    pub(super) fn see(&self, pat: &Pat) -> TokenStream {
        if self.root.idle.is_empty() {
            return TokenStream::new();
        }
        let locals = &self.machine.graph.locals;
        let idle = bound_locals(locals, pat).into_iter().filter(|id| self.root.idle.contains(id));
        let idents = idle.map(|id| &locals[id].ident);
        quote!(#(let _ = &#idents;)*)
    }

    /// Prints a block and what follows it without a jump.
    fn chain(&self, first: BlockId, braces: &mut Braces) {
        let mut id = first;
        loop {
            let block = &self.machine.graph[id];
            for (index, (node, usage)) in block.nodes.iter().zip(&block.usages).enumerate() {
                self.at.set((id, index));
                let (copy, fill) = self.copy_parts();
                braces.push(copy);
                self.node(node, usage, braces);
                braces.push(fill);
            }
            self.at.set((id, block.nodes.len()));
            let (copy, fill) = self.copy_parts();
            braces.push(copy);
            self.filling.replace(fill.clone());
            let usage = &block.end_usage;
            let merge = match &block.end {
                Terminator::Goto(to) => match self.machine.layout.links[to.0] {
                    // The end that the merge belongs to is being printed.
                    Link::After | Link::Branch => return,
                    Link::Follow => {
                        braces.close_to(self.machine.graph[*to].scope);
                        id = *to;
                        continue;
                    }
                    Link::Root => return braces.push(self.goto(*to)),
                },
                Terminator::If { cond, then, otherwise, merge } => {
                    let cond = self.expr(cond, usage);
                    let (then, otherwise) = (self.branch(*then), self.branch(*otherwise));
                    braces.push(quote!(if #cond { #fill #then } else { #fill #otherwise }));
                    *merge
                }
                Terminator::Match { scrutinee, arms, merge } => {
                    let scrutinee = self.expr(scrutinee, usage);
                    let arms = arms.iter().map(|(pat, block)| {
                        let pat = self.pat(pat);
                        let body = self.branch(*block);
                        quote!(#pat => { #fill #body })
                    });
                    braces.push(quote!(match #scrutinee { #(#arms)* }));
                    *merge
                }
                Terminator::Chosen { point, arms, merge } => {
                    let bodies = arms.iter().map(|(pat, block)| (pat, self.branch(*block)));
                    braces.push(self.chosen(*point, bodies.collect()));
                    *merge
                }
                Terminator::LetElse { local, otherwise, next } => {
                    let mut local = local.clone();
                    let otherwise = self.branch(*otherwise);
                    let pat = &local.pat;
                    if let Some(init) = &mut local.init {
                        let value = self.expr(&init.expr, usage);
                        braces.push(quote!(let #pat = #value else { #fill #otherwise }; #fill));
                    }
                    *next
                }
                Terminator::Await { point, future, .. } => {
                    let future = self.expr(future, usage);
                    return braces.push(self.suspend_await(*point, &future));
                }
                Terminator::Select { point, .. } | Terminator::Join { point, .. }
                    if self.machine.graph.has_regions(*point) =>
                {
                    return braces.push(self.enter_wait(*point, usage));
                }
                Terminator::Select { point, arms, .. } => {
                    return braces.push(self.suspend_select(*point, arms, usage));
                }
                Terminator::Join { point, branches, fail_fast, .. } => {
                    let branches = branches.iter().filter_map(Branch::operation);
                    let branches: Vec<_> =
                        branches.map(|branch| self.expr(branch, usage)).collect();
                    return braces.push(self.suspend_join(*point, &branches, *fail_fast));
                }
                Terminator::Return(value) => {
                    let value = self.expr(value, usage);
                    let complete = self.complete_tokens(&value, Span::call_site());
                    return braces.push(quote!(#complete;));
                }
                Terminator::Unreachable => return,
            };
            match self.machine.layout.links.get(merge.0) {
                Some(Link::After) => id = merge,
                _ => return,
            }
        }
    }

    /// Copies what the node or end that is being printed takes out of locals that are to be whole, and
    /// what puts the copies there.
    fn copy_parts(&self) -> (TokenStream, TokenStream) {
        let (mut copy, mut fill) = (TokenStream::new(), TokenStream::new());
        let parts = self.machine.layout.taken.get(&self.at.get()).into_iter().flatten();
        for (index, part) in parts.enumerate() {
            let (place, hole) = (self.place(part), hidden(&format!("hole{index}")));
            copy.extend(quote!(let #hole = ::piton::__private::Hole::of(&mut #place)?;));
            fill.extend(quote!(#place = #hole.fill()?;));
        }
        (copy, fill)
    }

    /// The inside of the braces of a branch.
    fn branch(&self, block: BlockId) -> TokenStream {
        let mut braces = Braces(vec![(self.machine.graph[block].scope, TokenStream::new())]);
        self.chain(block, &mut braces);
        braces.finish()
    }

    fn node(&self, node: &Node, usage: &Usage, braces: &mut Braces) {
        match node {
            // What is made where it is needed need not be made here.
            Node::Code(Stmt::Local(local)) if self.is_made_elsewhere(local) => {}
            Node::Code(stmt) => {
                braces.push(self.stmt(stmt, usage));
                if let Stmt::Local(local) = stmt {
                    braces.push(self.see(&local.pat));
                }
            }
            // Where it is not assigned, rustc could not tell its type.
            Node::Declare(local) if !self.root.named.contains(local) => {}
            Node::Declare(local) => braces.push(self.declare(*local)),
            Node::Define { local, value } => {
                let ident = &self.machine.graph.locals[*local].ident;
                let value = self.expr(value, usage);
                braces.push(quote!(#ident = #value;));
            }
            Node::Enter(scope) => braces.open(*scope),
            Node::Leave => braces.close(),
        }
    }

    fn is_made_elsewhere(&self, stmt: &syn::Local) -> bool {
        let locals = &self.machine.graph.locals;
        bound_locals(locals, &stmt.pat).iter().any(|local| {
            locals[*local].remade.is_some()
                && !self.root.needed.contains(local)
                && self.machine.layout.is_remade(*local)
        })
    }

    /// Whether code can be printed as it is.
    fn is_plain(&self, usage: &Usage) -> bool {
        usage.jumps.is_empty() && self.parts.is_empty()
    }

    fn stmt(&self, stmt: &Stmt, usage: &Usage) -> TokenStream {
        if self.is_plain(usage) {
            return stmt.to_token_stream();
        }
        let mut stmt = stmt.clone();
        Rewrite::new(self).visit_stmt_mut(&mut stmt);
        stmt.to_token_stream()
    }

    pub(super) fn expr(&self, expr: &Expr, usage: &Usage) -> TokenStream {
        if self.is_plain(usage) {
            return expr.to_token_stream();
        }
        let mut expr = expr.clone();
        Rewrite::new(self).visit_expr_mut(&mut expr);
        expr.to_token_stream()
    }

    fn pat(&self, pat: &Pat) -> TokenStream {
        let mut pat = pat.clone();
        if let Pat::Guard(pat) = &mut pat {
            Rewrite::new(self).visit_expr_mut(&mut pat.guard);
        }
        pat.to_token_stream()
    }
}

/// Jumps.
impl Printer<'_> {
    /// Ends the workflow with a value.
    pub(super) fn complete(&self, value: Option<&Expr>, span: Span) -> TokenStream {
        match value {
            Some(value) => self.complete_tokens(&value.to_token_stream(), span),
            None => self.complete_tokens(&quote_spanned!(span=> ()), span),
        }
    }

    pub(super) fn complete_tokens(&self, value: &TokenStream, span: Span) -> TokenStream {
        quote_spanned! {span=>
            return ::core::result::Result::Ok(#value)
        }
    }

    pub(super) fn break_to(&self, target: TargetId, value: Option<&Expr>) -> TokenStream {
        let target = self.machine.graph.targets[target.0];
        let Some(exit) = target.exit else { return TokenStream::new() };
        let give = match (target.dest, value) {
            (Some(dest), Some(value)) => {
                let ident = &self.machine.graph.locals[dest].ident;
                quote!(#ident = #value;)
            }
            (Some(dest), None) => {
                let ident = &self.machine.graph.locals[dest].ident;
                quote!(#ident = ();)
            }
            (None, Some(value)) => quote!(#value;),
            (None, None) => TokenStream::new(),
        };
        let goto = self.goto(exit);
        quote!({ #give #goto })
    }

    pub(super) fn continue_to(&self, target: TargetId) -> TokenStream {
        let Some(head) = self.machine.graph.targets[target.0].head else {
            return TokenStream::new();
        };
        let goto = self.goto(head);
        quote!({ #goto })
    }

    /// Fills the slots of a root and jumps to it.
    fn goto(&self, to: BlockId) -> TokenStream {
        let root = self.machine.layout.root(to);
        let fill = root.into_iter().flat_map(|root| &root.entry).map(|id| {
            let slot = slot(*id);
            match self.whereabouts(*id) {
                Whereabouts::Here => {
                    let value = self.place(&self.machine.layout.variable(*id).place);
                    quote!(#slot.fill(#value);)
                }
                Whereabouts::Parked(position) => {
                    let (parked, position) = (parked(), Index::from(position));
                    quote!(#parked.pass(#position, &mut #slot);)
                }
                Whereabouts::Slot => TokenStream::new(),
            }
        });
        let carry = root.into_iter().flat_map(|root| &root.carried).map(|id| self.carry(*id));
        let jump = step::jump(self.machine, to);
        quote!(#(#fill)* #(#carry)* #jump)
    }

    /// Hands a value on that is to be dropped later, if it is certainly here.
    fn carry(&self, id: VariableId) -> TokenStream {
        let local = self.machine.layout.variable(id).place.local;
        let (block, node) = self.at.get();
        let slot = slot(id);
        if self.machine.layout.carried.held(block, node).contains(&local) {
            let ident = &self.machine.layout.variable(id).ident;
            quote!(#slot.fill(#ident);)
        } else if self.root.carried.contains(&id) && !self.root.declared.contains(&local) {
            let held = carried(id);
            quote!(#slot = ::piton::__private::Slot::of(#held);)
        } else {
            TokenStream::new()
        }
    }

    /// Which of the locals of the state it is that the root goes on from.
    fn position(&self, id: VariableId) -> Option<usize> {
        self.root.entry.iter().position(|entry| *entry == id)
    }

    /// Where a variable is that another root needs.
    pub(super) fn whereabouts(&self, id: VariableId) -> Whereabouts {
        if !self.root.keeps(id) {
            return Whereabouts::Here;
        }
        let is_resumed = matches!(self.machine.graph[self.root.block].kind, BlockKind::Resume(_));
        match self.position(id) {
            Some(position) if is_resumed => Whereabouts::Parked(position),
            _ => Whereabouts::Slot,
        }
    }

    /// A place, with what it is a part of as it is here.
    pub(super) fn place(&self, place: &Place) -> TokenStream {
        let part = self
            .parts
            .iter()
            .find(|(part, _)| part.local == place.local && place.fields.starts_with(&part.fields));
        let (ident, skip) = match part {
            Some((part, ident)) => (ident, part.fields.len()),
            None => (&self.machine.graph.locals[place.local].ident, 0),
        };
        let mut tokens = ident.to_token_stream();
        for field in &place.fields[skip..] {
            let member: TokenStream = match field.parse::<u32>() {
                Ok(index) => syn::Index::from(index as usize).to_token_stream(),
                Err(_) => match syn::parse_str::<Ident>(field) {
                    Ok(ident) => ident.to_token_stream(),
                    Err(_) => Ident::new_raw(field, Span::call_site()).to_token_stream(),
                },
            };
            tokens.extend(quote!(.#member));
        }
        tokens
    }
}

/// The variable that holds what is only to be dropped.
fn carried(id: VariableId) -> Ident {
    hidden(&format!("c{}", id.0))
}

/// Binds what was made, or ends the step. A `?` would be two more calls, each with a type of its
/// own.
pub(super) fn unwrap(pat: &impl ToTokens, made: &TokenStream) -> TokenStream {
    let (value, halt) = (hidden("made"), hidden("halt"));
    quote! {
        let #pat = match #made {
            ::core::result::Result::Ok(#value) => #value,
            ::core::result::Result::Err(#halt) => return ::core::result::Result::Err(#halt),
        };
    }
}

/// A tuple, in groups of which none is longer than the tuples that can be loaded.
fn tuple(elements: Vec<TokenStream>) -> TokenStream {
    /// Tuples of tokens can be loaded up to this length.
    const MAX_TUPLE: usize = 12;
    if elements.len() <= MAX_TUPLE {
        return quote!((#(#elements,)*));
    }
    let groups = elements.chunks(MAX_TUPLE).map(|group| quote!((#(#group,)*)));
    tuple(groups.collect())
}

/// The variable that holds an operation while it is outstanding.
pub(super) fn call(index: usize) -> Ident {
    hidden(&format!("call{index}"))
}

/// The variable that holds what an operation gave.
pub(super) fn ready(index: usize) -> Ident {
    hidden(&format!("ready{index}"))
}

/// The value of the await that a root follows.
pub(super) fn awaited(span: Span) -> Ident {
    hidden_at("value", span)
}
