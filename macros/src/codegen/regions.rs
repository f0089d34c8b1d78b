//! Suspension points with a branch that is a region (an `async` block).
//!
//! A region is a closure in the arm after the wait, with a `match` over its own states. It sees the locals outside
//! of it as an `async` block would, and rustc infers types through it. The arm loads the locals that the regions
//! use and steps the branches one after the other. To enter the wait, the previous block writes its state and jumps
//! to the same arm, which starts the branches in order. Operations created before, and locals that a region
//! captures, are passed in variables.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Index;

use super::add::Piece;
use super::printer::Printer;
use super::select::{otherwise, taken};
use super::variables::{
    awaited, begins, closure, context, handle, made, operation_token, output_token, parked, ready,
    taken_over,
};
use super::waits::{Wait, wait_at};
use super::{Machine, run, state};
use crate::ir::usage::{Jump, Usage};
use crate::ir::{Branch, Graph, LocalId, PointId, RegionId, Terminator};
use crate::layout::State;
use crate::syntax::hygiene::hidden;

/// The tokens of what regions give to a `join!`.
pub(super) fn output_tokens(
    machine: &Machine<'_>,
    described: &mut Vec<(String, Ident)>,
) -> TokenStream {
    let mut out = TokenStream::new();
    for region in machine.graph.region_ids() {
        let point = machine.graph[region].point;
        let is_join = wait_at(machine.graph, point).is_some_and(|wait| wait.fail_fast.is_some());
        if let Some(State { name, .. }) = machine.layout.start_of(region).filter(|_| is_join) {
            let token = output_token(region);
            let maker = quote_spanned! {machine.graph[region].span=>
                __piton::local::<_>
            };
            out.extend(quote!(let #token = #maker();));
            described.push((name.clone(), token));
        }
    }
    out
}

/// Before the suspension.
impl Printer<'_> {
    /// Makes the branches and goes to the arm that begins them.
    pub(super) fn enter_wait(&self, point: PointId, usage: &Usage) -> TokenStream {
        let graph = self.machine.graph;
        let (Some(wait), Some(state)) = (wait_at(graph, point), self.machine.layout.state(point))
        else {
            return TokenStream::new();
        };
        let (mut make, mut give) = (TokenStream::new(), TokenStream::new());
        for (index, (cond, branch)) in wait.branches.iter().enumerate() {
            let made = made(point, index);
            let cond = cond.map(|cond| self.expr(cond, usage));
            match branch {
                Branch::Operation(future) => {
                    let future = self.expr(future, usage);
                    let some = quote!(#made = __piton::Some(#future););
                    make.extend(match cond {
                        Some(cond) => quote!(if #cond { #some }),
                        None => some,
                    });
                }
                Branch::Region(region) => {
                    make.extend(match cond {
                        Some(cond) => quote!(#made = #cond;),
                        None => quote!(#made = true;),
                    });
                    // An `async move` takes what it names before the branches behind it are
                    // evaluated. What else is given to one because nothing else needs it, those may use.
                    let takes = |local: LocalId| {
                        let mut usages = graph.usages_within(*region);
                        graph[*region].is_move && usages.any(|it| it.mentions.contains(&local))
                    };
                    let segment = self.machine.layout.segment(graph[*region].entry);
                    let entry = segment.map(|segment| self.lent_first(&segment.entry));
                    for id in entry.into_iter().flatten() {
                        let given = taken_over(*region, id);
                        let value = self.handed_over(id, None);
                        let local = self.machine.layout.variable(id).place.local;
                        let given = quote!((&mut #given).fill(#value););
                        if takes(local) { make.extend(given) } else { give.extend(given) }
                    }
                }
            }
        }
        let parked = parked();
        let (fill, hold, save) = (self.fill_moved_parts(), self.hold_across(), self.save(point));
        let count = Index::from(wait.branches.len());
        let jump = Piece(|out: &mut TokenStream| state::jump(self.machine, out, state.block));
        quote! {
            #make
            #hold
            #give
            #fill
            #save
            #parked.enter(#count)?;
            #jump
        }
    }
}

/// After it.
impl Printer<'_> {
    /// Begins the branches or looks after them, and stays parked while they are outstanding.
    pub(super) fn step_branches(&self, point: PointId) -> TokenStream {
        let Some(wait) = wait_at(self.machine.graph, point) else { return TokenStream::new() };
        let regions = wait.branches.iter().filter_map(|(_, branch)| branch.region());
        let regions: TokenStream = regions.map(|region| self.region(region)).collect();
        let step = match wait.fail_fast {
            None => self.step_select(point, &wait),
            Some(fail_fast) => self.step_join(point, &wait, fail_fast),
        };
        quote!(#regions #step)
    }

    /// The closure that steps a region, and what else there is to say about it.
    fn region(&self, id: RegionId) -> TokenStream {
        let region = &self.machine.graph[id];
        let Some(start) = self.machine.layout.start_of(id) else { return TokenStream::new() };
        let number = state::number(self.machine, start.block);
        let (closure, begins, parked) = (closure(id), begins(id), parked());
        let made = made(region.point, region.index);
        let run = run::run(self.machine, Some(id), &quote!(#parked.begin_branch()));
        // What never returns has no type by itself.
        let value =
            if returns(self.machine.graph, id) { quote!(_) } else { quote!(__piton::Never) };
        let (handle, index) = (handle(id), Index::from(region.index));
        // What is wrong with what the block captures is said of it.
        let at = Span::mixed_site().located_at(region.span);
        let step = quote_spanned! {at=>
            |#parked: &mut __piton::Parked| -> __piton::Result<#value, __piton::Halt> { #run }
        };
        let shielded = region.is_shielded.then(|| quote!(.shielded()));
        quote! {
            let #begins = ::core::mem::take(&mut #made);
            let #handle = __piton::Region::new(#index, #number) #shielded;
            let mut #closure = #step;
        }
    }

    fn step_select(&self, point: PointId, wait: &Wait<'_>) -> TokenStream {
        let (cx, parked, done) = (context(), parked(), hidden("done"));
        let value = awaited(self.machine.graph.points[point.0].span);
        let mut declare = TokenStream::new();
        let mut step = TokenStream::new();
        let mut cancel = TokenStream::new();
        for (index, (_, branch)) in wait.branches.iter().enumerate() {
            let ready = ready(index);
            declare.extend(quote!(let mut #ready = __piton::None;));
            let refusal = wait.choices.0.get(index).and_then(|choice| choice.refusal.as_ref());
            let taken = taken(index, refusal, &value);
            let give_up = match branch {
                Branch::Operation(_) => {
                    let token = operation_token(point, index);
                    let is_looked_after = self.begin(point, index);
                    let index = Index::from(index);
                    step.extend(quote! {
                        if #is_looked_after && !#done {
                            if let __piton::Poll::Ready(#value) =
                                (&#token).poll(#parked, #index, #cx)?
                            {
                                #taken
                            }
                        }
                    });
                    quote!((&#token).cancel(#parked, #index, #cx)?;)
                }
                Branch::Region(region) => {
                    let (handle, begins) = (handle(*region), begins(*region));
                    let closure = closure(*region);
                    // Those that begin run up to their first suspension, whoever is done.
                    step.extend(quote! {
                        if #begins || !#done {
                            let #value = #handle.poll(#begins, #parked, #cx, &mut #closure)?;
                            if !#done {
                                if let __piton::Some(#value) = #value { #taken }
                            }
                        }
                    });
                    quote!(#handle.cancel(#parked, #cx, &mut #closure)?;)
                }
            };
            cancel.extend(quote!(if (&#ready).is_none() { #give_up }));
        }
        let again = self.again(point);
        let otherwise = otherwise(wait.choices);
        quote! {
            #declare
            let mut #done = false;
            __piton::open_waits(#cx, false);
            #step
            #otherwise
            __piton::close_waits(#cx, !#done);
            if !#done { #again }
            #cancel
        }
    }

    /// Begins an operation that has been made. Whether it is to be looked after: it has begun before, or has
    /// ended at once and may be what is waited for.
    pub(super) fn begin(&self, point: PointId, index: usize) -> TokenStream {
        let (cx, parked) = (context(), parked());
        let value = awaited(self.machine.graph.points[point.0].span);
        let (token, made) = (operation_token(point, index), made(point, index));
        let index = Index::from(index);
        quote! {
            match (&mut #made).take() {
                __piton::Some(#value) => (&#token).begin(#value, #parked, #index, #cx)?,
                __piton::None => true,
            }
        }
    }

    /// Whether the regions of the point use locals where they are.
    pub(super) fn uses_locals(&self) -> bool {
        !self.segment.used_by_regions.is_empty()
    }

    /// The machine stays parked. What has been loaded may have changed.
    pub(super) fn again(&self, point: PointId) -> TokenStream {
        if !self.uses_locals() {
            let leave = self.leave();
            return quote!(break #leave;);
        }
        let (parked, leave) = (parked(), self.leave());
        let save = self.save(point);
        quote! {
            #save
            #parked.keep_operations();
            break #leave;
        }
    }
}

/// Whether the region can come to its end.
fn returns(graph: &Graph, region: RegionId) -> bool {
    let mut blocks = graph.blocks.iter().filter(|block| block.region == Some(region));
    blocks.any(|block| {
        let usages = block.all_usages();
        matches!(block.end, Terminator::Return(_))
            || usages.flat_map(|usage| &usage.jumps).any(|jump| *jump == Jump::Return)
    })
}
