//! A check of the layout: what code generation rests on. Each rule is a function, and for each there is
//! a layout that only it finds fault with.

use std::collections::{BTreeMap, BTreeSet};

use super::links::{exits_of, link};
use super::names::{Names, bound_at_entry, names_by_root};
use super::{Layout, Link, Root, VariableId, scope_path};
use crate::ir::{BlockId, BlockKind, Graph, LocalId, ScopeId};
use crate::liveness::Liveness;
use crate::usage::Place;

/// A layout, and what it was made from.
struct Machine<'a> {
    graph: &'a Graph,
    liveness: &'a Liveness,
    layout: &'a Layout,
}

/// What does not hold.
type Checked = Result<(), String>;

/// Checks what code generation rests on.
///
/// # Errors
/// What does not hold. It is a mistake of the compiler and not of the user.
pub(crate) fn validate(graph: &Graph, liveness: &Liveness, layout: &Layout) -> Checked {
    let machine = Machine { graph, liveness, layout };
    machine.every_root_is_an_arm()?;
    for root in &layout.roots {
        machine.locals_are_in_scope(root)?;
        machine.wholes_are_not_split(root)?;
        machine.what_is_remade_is_not_given(root)?;
        machine.what_is_kept_is_given_and_not_named(root)?;
    }
    machine.what_is_remade_is_not_saved()?;
    machine.names_are_unique()?;
    // What takes more than a look at each root is left to builds that are to find mistakes.
    if cfg!(debug_assertions) {
        machine.states_save_what_is_live()?;
        machine.edges_lead_everywhere()?;
        machine.what_is_given_is_there()?;
    }
    Ok(())
}

impl Machine<'_> {
    fn place(&self, id: VariableId) -> &Place {
        &self.layout.variable(id).place
    }

    fn name(&self, local: LocalId) -> String {
        self.graph.locals[local].ident.to_string()
    }

    fn every_root_is_an_arm(&self) -> Checked {
        let arms: Vec<BlockId> = self.layout.roots.iter().map(|root| root.block).collect();
        let links = self.layout.links.iter().enumerate();
        let roots: Vec<BlockId> = links
            .filter(|(_, link)| **link == Link::Root)
            .map(|(index, _)| BlockId(index))
            .collect();
        if let Some(block) = roots.iter().find(|block| !arms.contains(block)) {
            return Err(format!("block {} has no arm", block.0));
        }
        if arms != roots {
            return Err("there is an arm for what is no root, or a second one".to_owned());
        }
        Ok(())
    }

    fn locals_are_in_scope(&self, root: &Root) -> Checked {
        let open = scope_path(self.graph, self.graph[root.block].scope);
        let given = root.entry.iter().chain(&root.carried).map(|id| self.place(*id).local);
        let mut locals =
            given.chain(root.remade.iter().copied()).chain(root.declared.iter().copied());
        let in_scope = |local: &LocalId| {
            open.iter().any(|scope| self.graph.scopes[scope.0].locals.contains(local))
        };
        match locals.find(|local| !in_scope(local)) {
            Some(local) => {
                let name = self.name(local);
                Err(format!("`{name}` is used out of its scope in block {}", root.block.0))
            }
            None => Ok(()),
        }
    }

    fn wholes_are_not_split(&self, root: &Root) -> Checked {
        let places: Vec<&Place> = root.entry.iter().map(|id| self.place(*id)).collect();
        let split = places.iter().filter(|place| !place.fields.is_empty());
        match split.into_iter().find(|part| places.contains(&&Place::whole(part.local))) {
            Some(part) => {
                Err(format!("`{}` is there both as a whole and in parts", self.name(part.local)))
            }
            None => Ok(()),
        }
    }

    fn what_is_remade_is_not_given(&self, root: &Root) -> Checked {
        let mut given = root.entry.iter().map(|id| self.place(*id).local);
        match given.find(|local| root.remade.contains(local)) {
            Some(local) => {
                let name = self.name(local);
                Err(format!("`{name}` is both given and made again in block {}", root.block.0))
            }
            None => Ok(()),
        }
    }

    fn what_is_remade_is_not_saved(&self) -> Checked {
        let mut saved = self.layout.variables.iter().filter(|variable| variable.is_saved);
        match saved.find(|variable| self.graph.locals[variable.place.local].remade.is_some()) {
            Some(variable) => Err(format!("`{}` is both saved and made again", variable.stored)),
            None => Ok(()),
        }
    }

    fn what_is_kept_is_given_and_not_named(&self, root: &Root) -> Checked {
        let wrong = |id: &&VariableId| {
            !root.entry.contains(id) || root.named.contains(&self.place(**id).local)
        };
        match root.kept.iter().find(wrong) {
            Some(id) => {
                let name = &self.layout.variable(*id).stored;
                Err(format!("`{name}` cannot only pass through block {}", root.block.0))
            }
            None => Ok(()),
        }
    }

    /// A state has what is live where it is resumed, but for parts that are filled before they are
    /// read.
    fn states_save_what_is_live(&self) -> Checked {
        let bound = bound_at_entry(self.graph);
        for state in &self.layout.states {
            let resumed = self.layout.roots.iter().find(|root| {
                state.point.is_some_and(|p| self.graph[root.block].kind == BlockKind::Resume(p))
            });
            let Some(root) = resumed else {
                if state.point.is_none() && state.fields.is_empty() {
                    continue;
                }
                return Err(format!("nothing resumes the state `{}`", state.name));
            };
            let live = self.liveness.entry(self.graph, root.block, &bound[root.block.0]);
            let places = |ids: &[VariableId]| -> BTreeSet<Place> {
                ids.iter().map(|id| self.place(*id).clone()).collect()
            };
            let saved = places(&state.fields);
            if state.fields != root.entry {
                return Err(format!("the state `{}` is not what is loaded from it", state.name));
            }
            if &saved | &places(&root.unfilled) != live {
                return Err(format!("the state `{}` is not what is live at it", state.name));
            }
            if let Some(id) = state.fields.iter().find(|id| !self.layout.variable(**id).is_saved) {
                let name = &self.layout.variable(*id).stored;
                return Err(format!("`{name}` is in the state `{}` and not saved", state.name));
            }
        }
        Ok(())
    }

    fn names_are_unique(&self) -> Checked {
        let unique = |what: &str, names: Vec<String>| {
            let mut seen = BTreeSet::new();
            match names.into_iter().find(|name| name.is_empty() || !seen.insert(name.clone())) {
                Some(name) => Err(format!("there are two {what} called `{name}`")),
                None => Ok(()),
            }
        };
        let states = &self.layout.states;
        unique("states", states.iter().map(|state| state.name.clone()).collect())?;
        unique("variants", states.iter().map(|state| state.variant.to_string()).collect())?;
        let variables = &self.layout.variables;
        unique("saved locals", variables.iter().map(|v| v.stored.clone()).collect())?;
        unique("variables", variables.iter().map(|v| v.ident.to_string()).collect())
    }

    /// Every state can be reached from the start, and edges lead from state to state.
    fn edges_lead_everywhere(&self) -> Checked {
        let count = self.layout.states.len();
        let mut ends = self.layout.edges.iter().flat_map(|(from, to)| [Some(*from), *to]).flatten();
        if let Some(end) = ends.find(|end| *end >= count) {
            return Err(format!("an edge leads to the state {end}, which does not exist"));
        }
        let mut reached = BTreeSet::from([0]);
        let mut todo = vec![0];
        while let Some(from) = todo.pop() {
            let edges = self.layout.edges.iter().filter(|edge| edge.0 == from);
            todo.extend(edges.filter_map(|edge| edge.1).filter(|to| reached.insert(*to)));
        }
        match (0..count).find(|state| !reached.contains(state)) {
            Some(state) => Err(format!("nothing leads to `{}`", self.layout.states[state].name)),
            None => Ok(()),
        }
    }

    /// On every way to a root, what it is given has been given before, or was made on the way.
    fn what_is_given_is_there(&self) -> Checked {
        let (_, root_of) = link(self.graph);
        let mut known: BTreeMap<BlockId, BTreeSet<LocalId>> = BTreeMap::new();
        let mut names = names_by_root(self.graph, &root_of);
        for root in &self.layout.roots {
            let Names { named: mut there, bound } = names.remove(&root.block).unwrap_or_default();
            there.extend(bound);
            there.extend(root.entry.iter().chain(&root.carried).map(|id| self.place(*id).local));
            // What the branches of a point use from outside is there where they are stepped.
            there.extend(&root.used_by_regions);
            known.insert(root.block, there);
        }
        for from in self.graph.block_ids() {
            let regions = self.graph[from].end.regions().into_iter();
            let begun = regions.map(|region| self.graph[region].entry);
            let exits = exits_of(self.graph, &self.layout.links, from).into_iter().flatten();
            for to in exits.chain(begun) {
                let Some(root) = self.layout.root(to) else {
                    return Err(format!("block {} goes to what is no root", from.0));
                };
                let there = &known[&root_of[from.0]];
                let given = root.entry.iter().map(|id| self.place(*id).local);
                // What is outside of a region is there in all of it.
                let mut given = given.filter(|local| !self.is_outside(*local, from));
                if let Some(local) = given.find(|local| !there.contains(local)) {
                    let (name, from, to) = (self.name(local), from.0, to.0);
                    return Err(format!("`{name}` is not there on the way from {from} to {to}"));
                }
            }
        }
        Ok(())
    }

    /// Whether a local is declared outside of the region that the block is in.
    fn is_outside(&self, local: LocalId, block: BlockId) -> bool {
        let Some(region) = self.graph[block].region else { return false };
        let own = self.graph[region].scope;
        let mut scopes = (0..self.graph.scopes.len()).map(ScopeId);
        let scope = scopes.find(|scope| self.graph.scopes[scope.0].locals.contains(&local));
        scope.is_none_or(|scope| !scope_path(self.graph, scope).contains(&own))
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;
    use crate::diagnostics::Diagnostics;
    use crate::{cfg, liveness, normalize, parse, resolve};

    /// A machine with a loop, a choice, a borrow that is made again, and something that only passes
    /// through.
    fn machine() -> (Graph, Liveness, Layout) {
        let diagnostics = Diagnostics::new();
        let source = quote! {
            async fn run(order: Order, names: Vec<String>) -> u64 {
                let view = &order;
                let mut sum = 0;
                for name in names {
                    sum += price(&name, view).await;
                    if sum > 9 {
                        sum = round(sum).await;
                    }
                }
                tick().await;
                sum + last(&order).await
            }
        };
        let function = syn::parse2(source).expect("a function");
        let mut function =
            parse::parse(function, "run".into(), None, &diagnostics).expect("a workflow");
        let locals = resolve::resolve(None, &mut function.params, &mut function.body, &diagnostics);
        let body = function.body.clone();
        let tree = normalize::normalize(None, body, locals, &diagnostics);
        diagnostics.finish().expect("nothing is wrong with it");
        let graph = cfg::build(tree, &function.params);
        let liveness = liveness::analyze(&graph);
        let layout = super::super::lay_out(&graph, &liveness);
        (graph, liveness, layout)
    }

    /// What is said of the machine after this change.
    fn fault(change: impl FnOnce(&mut Graph, &mut Layout)) -> String {
        let (mut graph, liveness, mut layout) = machine();
        validate(&graph, &liveness, &layout).expect("it is a machine before the change");
        change(&mut graph, &mut layout);
        validate(&graph, &liveness, &layout).expect_err("something is wrong")
    }

    /// The first root, from the back, that is given the local of this name.
    fn given<'a>(graph: &Graph, layout: &'a mut Layout, name: &str) -> (&'a mut Root, VariableId) {
        let id = layout.variables.iter().position(|variable| variable.stored == name);
        let id = VariableId(id.expect("there is such a local"));
        assert_eq!(graph.locals[layout.variable(id).place.local].stored, name);
        let root = layout.roots.iter_mut().rev().find(|root| root.entry.contains(&id));
        (root.expect("a root is given it"), id)
    }

    #[test]
    fn a_root_without_an_arm_is_found() {
        assert!(fault(|_, layout| drop(layout.roots.pop())).contains("has no arm"));
        let doubled = fault(|_, layout| {
            let block = layout.roots[0].block;
            layout.roots[1].block = block;
        });
        assert!(doubled.contains("no arm"), "{doubled}");
    }

    #[test]
    fn a_local_out_of_scope_is_found() {
        let fault = fault(|graph, layout| {
            let (root, id) = given(graph, layout, "sum");
            let block = root.block;
            let local = layout.variable(id).place.local;
            let scope = graph[block].scope;
            for scope in scope_path(graph, scope) {
                graph.scopes[scope.0].locals.retain(|other| *other != local);
            }
        });
        assert!(fault.contains("`sum` is used out of its scope"), "{fault}");
    }

    #[test]
    fn a_part_beside_its_whole_is_found() {
        let fault = fault(|graph, layout| {
            let (root, id) = given(graph, layout, "order");
            root.entry.push(VariableId(usize::MAX));
            let part = VariableId(layout.variables.len());
            let whole = layout.variable(id);
            let fields = vec!["id".to_owned()];
            let place = Place { local: whole.place.local, fields };
            let ident = whole.ident.clone();
            let (mutable, kind) = (whole.mutable, whole.kind);
            layout.variables.push(super::super::Variable {
                place,
                ident,
                stored: "order.id".to_owned(),
                mutable,
                kind,
                is_saved: true,
                passed_in: BTreeSet::new(),
                comes_saved: false,
            });
            for root in &mut layout.roots {
                for id in root.entry.iter_mut().filter(|id| id.0 == usize::MAX) {
                    *id = part;
                }
            }
        });
        assert!(fault.contains("both as a whole and in parts"), "{fault}");
    }

    #[test]
    fn what_is_both_given_and_made_again_is_found() {
        let given_too = fault(|graph, layout| {
            let (root, id) = given(graph, layout, "sum");
            let block = root.block;
            let local = layout.variable(id).place.local;
            layout.roots.iter_mut().filter(|r| r.block == block).for_each(|r| r.remade.push(local));
        });
        assert!(given_too.contains("`sum` is both given and made again"), "{given_too}");
        let saved_too = fault(|graph, _| {
            let sum = graph.locals.find_name("sum").expect("there is such a local");
            graph.locals[sum].remade = Some(syn::parse_quote!(0));
        });
        assert!(saved_too.contains("`sum` is both saved and made again"), "{saved_too}");
    }

    #[test]
    fn what_cannot_pass_through_is_found() {
        let fault = fault(|graph, layout| {
            let (root, id) = given(graph, layout, "sum");
            root.kept.insert(id);
        });
        assert!(fault.contains("`sum` cannot only pass through"), "{fault}");
    }

    #[test]
    fn a_state_that_is_not_what_is_live_is_found() {
        let lacking = fault(|_, layout| {
            layout.states[1].fields.pop();
        });
        assert!(lacking.contains("is not what is loaded from it"), "{lacking}");
        let both = fault(|graph, layout| {
            let state = layout.states.iter().position(|state| !state.fields.is_empty());
            let state = state.expect("something is saved");
            let field = layout.states[state].fields.pop();
            let point = layout.states[state].point.expect("a point");
            let block = graph.block_ids().find(|b| graph[*b].kind == BlockKind::Resume(point));
            for root in layout.roots.iter_mut().filter(|root| Some(root.block) == block) {
                root.entry.retain(|id| Some(*id) != field);
                root.kept.retain(|id| Some(*id) != field);
            }
        });
        assert!(both.contains("is not what is live at it"), "{both}");
        let unsaved = fault(|graph, layout| {
            let (_, id) = given(graph, layout, "sum");
            layout.variables[id.0].is_saved = false;
        });
        assert!(unsaved.contains("and not saved"), "{unsaved}");
    }

    #[test]
    fn names_that_are_not_unique_are_found() {
        let states = fault(|_, layout| layout.states[2].name = layout.states[1].name.clone());
        assert!(states.contains("two states called"), "{states}");
        let variants =
            fault(|_, layout| layout.states[2].variant = layout.states[1].variant.clone());
        assert!(variants.contains("two variants called"), "{variants}");
        let stored =
            fault(|_, layout| layout.variables[1].stored = layout.variables[0].stored.clone());
        assert!(stored.contains("two saved locals called"), "{stored}");
        let idents =
            fault(|_, layout| layout.variables[1].ident = layout.variables[0].ident.clone());
        assert!(idents.contains("two variables called"), "{idents}");
    }

    #[test]
    fn edges_that_lead_nowhere_and_states_that_nothing_leads_to_are_found() {
        let nowhere = fault(|_, layout| {
            layout.edges.insert((0, Some(99)));
        });
        assert!(nowhere.contains("does not exist"), "{nowhere}");
        let apart = fault(|_, layout| layout.edges.retain(|edge| edge.1 != Some(1)));
        assert!(apart.contains("nothing leads to"), "{apart}");
    }

    #[test]
    fn a_value_that_is_not_made_on_some_way_is_found() {
        let fault = fault(|graph, layout| {
            // The way from the start is the only one to the head of the loop that makes the sum.
            let sum = graph.locals.find_name("sum").expect("there is such a local");
            let start = &mut graph.blocks[0];
            start.nodes.clear();
            start.usages.clear();
            assert!(layout.roots.iter().any(|root| {
                root.entry.iter().any(|id| layout.variable(*id).place.local == sum)
            }));
        });
        assert!(fault.contains("is not there on the way from 0"), "{fault}");
    }
}
