//! For each rule, a layout that only this rule refuses.

use quote::quote;

use super::*;
use crate::collections::sets::Set;
use crate::diagnostics::Diagnostics;
use crate::flow::{cfg, liveness};
use crate::frontend::parse;
use crate::ir::Field;
use crate::{anf, resolve};

/// A machine with a loop, a choice, a rematerialized borrow, and a local that only passes
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
    let tree = anf::convert(None, &body, locals, &diagnostics);
    diagnostics.finish().expect("nothing is wrong with it");
    let graph = cfg::build(tree, &function.params);
    let liveness = liveness::analyze(&graph);
    let layout = super::super::lay_out(&graph, &liveness);
    (graph, liveness, layout)
}

/// The error that validation reports after this change.
fn fault(change: impl FnOnce(&mut Graph, &mut Layout)) -> String {
    let (mut graph, liveness, mut layout) = machine();
    validate(&graph, &liveness, &layout).expect("it is a machine before the change");
    change(&mut graph, &mut layout);
    validate(&graph, &liveness, &layout).expect_err("something is wrong")
}

/// The first segment, from the back, that receives the local of this name.
fn given<'a>(graph: &Graph, layout: &'a mut Layout, name: &str) -> (&'a mut Segment, VariableId) {
    let id = layout.variables.iter().position(|variable| variable.stored == name);
    let id = VariableId(id.expect("there is such a local"));
    assert_eq!(graph.locals[layout.variable(id).place.local].identity.name, name);
    let segment = layout.segments.iter_mut().rev().find(|segment| segment.entry.contains(&id));
    (segment.expect("a segment is given it"), id)
}

#[test]
fn a_segment_without_an_arm_is_found() {
    assert!(fault(|_, layout| drop(layout.segments.pop())).contains("has no arm"));
    let doubled = fault(|_, layout| {
        let block = layout.segments[0].block;
        layout.segments[1].block = block;
    });
    assert!(doubled.contains("no arm"), "{doubled}");
}

#[test]
fn a_local_out_of_scope_is_found() {
    let fault = fault(|graph, layout| {
        let (segment, id) = given(graph, layout, "sum");
        let block = segment.block;
        let local = layout.variable(id).place.local;
        let scope = graph[block].scope;
        for scope in graph.scopes[scope.0].path.clone() {
            graph.scopes[scope.0].locals.retain(|other| *other != local);
        }
    });
    assert!(fault.contains("`sum` is used out of its scope"), "{fault}");
}

#[test]
fn a_part_beside_its_whole_is_found() {
    let fault = fault(|graph, layout| {
        let (segment, id) = given(graph, layout, "order");
        segment.entry.push(VariableId(usize::MAX));
        let part = VariableId(layout.variables.len());
        let whole = layout.variable(id);
        let fields = vec![Field::new("id".to_owned(), proc_macro2::Span::call_site())];
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
            passed_in: Set::new(),
            comes_saved: false,
        });
        for segment in &mut layout.segments {
            for id in segment.entry.iter_mut().filter(|id| id.0 == usize::MAX) {
                *id = part;
            }
        }
    });
    assert!(fault.contains("both as a whole and in parts"), "{fault}");
}

#[test]
fn a_local_that_is_received_and_rematerialized_is_found() {
    let given_too = fault(|graph, layout| {
        let (segment, id) = given(graph, layout, "sum");
        let block = segment.block;
        let local = layout.variable(id).place.local;
        layout
            .segments
            .iter_mut()
            .filter(|r| r.block == block)
            .for_each(|r| r.rematerialized.push(local));
    });
    assert!(given_too.contains("`sum` is both given and made again"), "{given_too}");
    let saved_too = fault(|graph, _| {
        let sum = graph.locals.find_name("sum").expect("there is such a local");
        let zero: syn::Expr = syn::parse_quote!(0);
        graph.locals[sum].rematerialized = Some(zero.into());
    });
    assert!(saved_too.contains("`sum` is both saved and made again"), "{saved_too}");
}

#[test]
fn a_local_that_cannot_pass_through_is_found() {
    let fault = fault(|graph, layout| {
        let (segment, id) = given(graph, layout, "sum");
        segment.kept.insert(id);
    });
    assert!(fault.contains("`sum` cannot only pass through"), "{fault}");
}

#[test]
fn a_state_that_differs_from_the_live_locals_is_found() {
    let lacking = fault(|_, layout| {
        layout.states[1].fields.pop();
    });
    assert!(lacking.contains("differs from the locals that are loaded from it"), "{lacking}");
    let both = fault(|graph, layout| {
        let state = layout.states.iter().position(|state| !state.fields.is_empty());
        let state = state.expect("something is saved");
        let field = layout.states[state].fields.pop();
        let point = layout.states[state].point.expect("a point");
        let block = graph.block_ids().find(|b| graph[*b].kind == BlockKind::Resume(point));
        for segment in layout.segments.iter_mut().filter(|segment| Some(segment.block) == block) {
            segment.entry.retain(|id| Some(*id) != field);
            segment.kept.retain(|id| Some(*id) != field);
        }
    });
    assert!(both.contains("differs from the locals that are live there"), "{both}");
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
    let stored = fault(|_, layout| layout.variables[1].stored = layout.variables[0].stored.clone());
    assert!(stored.contains("two saved locals called"), "{stored}");
    let idents = fault(|_, layout| layout.variables[1].ident = layout.variables[0].ident.clone());
    assert!(idents.contains("two variables called"), "{idents}");
}

#[test]
fn edges_without_a_target_and_unreachable_states_are_found() {
    let nowhere = fault(|_, layout| {
        layout.edges.insert((0, Some(99)));
    });
    assert!(nowhere.contains("does not exist"), "{nowhere}");
    let apart = fault(|_, layout| layout.edges.retain(|edge| edge.1 != Some(1)));
    assert!(apart.contains("nothing leads to"), "{apart}");
}

#[test]
fn a_value_that_is_missing_on_one_path_is_found() {
    let fault = fault(|graph, layout| {
        // The way from the start is the only one to the head of the loop that makes the sum.
        let sum = graph.locals.find_name("sum").expect("there is such a local");
        let start = &mut layout.segments[0];
        start.named.remove(&sum);
        start.bound.remove(&sum);
        assert!(layout.segments.iter().any(|segment| {
            segment.entry.iter().any(|id| layout.variable(*id).place.local == sum)
        }));
    });
    assert!(fault.contains("is not there on the way from 0"), "{fault}");
}
