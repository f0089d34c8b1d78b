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
use super::exit::texts_first;
use super::machine::Machine;
use super::printer::Printer;
use super::resume::Awaited;
use super::select::taken;
use super::variables::{
    begins, closure, context, handle, made, operation_token, output_token, parked, taken_over,
};
use super::waits::{Wait, wait_at};
use super::{run, state};
use crate::ir::usage::{Jump, Usage};
use crate::ir::{Branch, Graph, LocalId, PointId, RegionId, Terminator};
use crate::layout::State;
use crate::syntax::hygiene::hidden;

/// The tokens of the values that regions return to a `join!`.
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

impl Printer<'_> {
    /// Makes the branches and jumps to the arm that begins them.
    pub(super) fn enter_wait(&mut self, point: PointId, usage: &Usage) -> TokenStream {
        let machine = self.arm.machine;
        let Machine { graph, layout, .. } = machine;
        let (Some(wait), Some(state)) = (wait_at(graph, point), layout.state(point)) else {
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
                    // An `async move` captures the locals that it names before the branches behind it are
                    // evaluated. Those branches may use the other locals that it is given.
                    let takes = |local: LocalId| {
                        let mut usages = graph.usages_within(*region);
                        graph[*region].is_move && usages.any(|it| it.mentions.contains(&local))
                    };
                    let segment = layout.segment(graph[*region].entry);
                    let entry = segment.map(|segment| texts_first(layout, &segment.entry));
                    for id in entry.into_iter().flatten() {
                        let given = taken_over(*region, id);
                        let value = self.handed_over(id, None);
                        let local = layout.variable(id).place.local;
                        let given = quote!((&mut #given).fill(#value););
                        if takes(local) { make.extend(given) } else { give.extend(given) }
                    }
                }
            }
        }
        let parked = parked();
        let fill = self.copies.fill(&self.split);
        let (hold, save) = (self.hold_across(), self.save(point));
        let count = Index::from(wait.branches.len());
        let jump = Piece(|out: &mut TokenStream| state::jump(machine, out, state.block));
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

impl Awaited<'_> {
    /// Begins the branches or polls them, and leaves the step while they are outstanding.
    pub(super) fn step_branches(&self) -> TokenStream {
        let machine = self.arm.machine;
        let Some(wait) = wait_at(machine.graph, self.point) else { return TokenStream::new() };
        let regions = wait.branches.iter().filter_map(|(_, branch)| branch.region());
        let regions: TokenStream = regions.map(|id| region(machine, id)).collect();
        let step = match wait.fail_fast {
            None => self.step_select(&wait),
            Some(fail_fast) => self.step_join(&wait, fail_fast),
        };
        quote!(#regions #step)
    }

    fn step_select(&self, wait: &Wait<'_>) -> TokenStream {
        let (cx, parked, done, value) = (context(), parked(), hidden("done"), &self.value);
        let (mut step, mut give_up) = (TokenStream::new(), Vec::new());
        for (index, (_, branch)) in wait.branches.iter().enumerate() {
            let refusal = wait.choices.0.get(index).and_then(|choice| choice.refusal.as_ref());
            let taken = taken(index, refusal, value);
            give_up.push(match branch {
                Branch::Operation(_) => {
                    let token = operation_token(self.point, index);
                    let is_polled = self.begin(index);
                    let index = Index::from(index);
                    step.extend(quote! {
                        if #is_polled && !#done {
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
                    // Branches that begin run up to their first suspension, even if another one is done.
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
            });
        }
        self.select(&step, wait.choices, &give_up)
    }

    /// Begins an operation that has been made, as an expression: whether the operation is to be polled. It is, if it began
    /// in an earlier step, or completed at once.
    pub(super) fn begin(&self, index: usize) -> TokenStream {
        let (cx, parked, value) = (context(), parked(), &self.value);
        let (token, made) = (operation_token(self.point, index), made(self.point, index));
        let index = Index::from(index);
        quote! {
            match (&mut #made).take() {
                __piton::Some(#value) => (&#token).begin(#value, #parked, #index, #cx)?,
                __piton::None => true,
            }
        }
    }
}

/// The closure that steps a region, and its handle.
fn region(machine: &Machine<'_>, id: RegionId) -> TokenStream {
    let region = &machine.graph[id];
    let Some(start) = machine.layout.start_of(id) else { return TokenStream::new() };
    let number = state::number(machine, start.block);
    let (closure, begins, parked) = (closure(id), begins(id), parked());
    let made = made(region.point, region.index);
    let run = run::run(machine, Some(id), &quote!(#parked.begin_branch()));
    // A region that never returns has no type of its own.
    let value = if returns(machine.graph, id) { quote!(_) } else { quote!(__piton::Never) };
    let (handle, index) = (handle(id), Index::from(region.index));
    // rustc reports errors of captures at the block.
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

/// Whether the region can end.
fn returns(graph: &Graph, region: RegionId) -> bool {
    let mut blocks = graph.blocks.iter().filter(|block| block.region == Some(region));
    blocks.any(|block| {
        let usages = block.all_usages();
        matches!(block.end, Terminator::Return(_))
            || usages.flat_map(|usage| &usage.jumps).any(|jump| *jump == Jump::Return)
    })
}
