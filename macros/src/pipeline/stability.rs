//! Tests: edits elsewhere in a workflow do not change the stored names of its states.

use proc_macro2::TokenStream;
use proptest::prelude::*;

use crate::diagnostics::Diagnostics;
use crate::flow::{cfg, liveness};
use crate::frontend::parse;
use crate::{anf, layout, resolve};

/// A statement with one await.
#[derive(Clone, Debug)]
struct Step {
    callee: String,
    shape: usize,
}

/// The code around an await; `CALLEE` stands for the function.
const SHAPES: [&str; 8] = [
    "CALLEE(c).await;",
    "if c > 3 { CALLEE(1).await; } else { log(c); }",
    "for n in 0..c { CALLEE(n).await; }",
    "let text = format!(\"{} {c}\", CALLEE(1).await);",
    "match CALLEE(c).await { 0 => log(0), n => log(n) }",
    "while CALLEE(c).await > 2 { log(c); }",
    "let Some(n) = CALLEE(c).await else { return; };",
    "{ let list = vec![c]; for item in &list { log(CALLEE(*item).await, item); } }",
];

impl Step {
    fn source(&self) -> String {
        SHAPES[self.shape].replace("CALLEE", &self.callee)
    }
}

/// A step that awaits one of a few functions whose names begin with `kind`.
fn step(kind: &'static str) -> impl Strategy<Value = Step> {
    (0..3, 0..SHAPES.len())
        .prop_map(move |(number, shape)| Step { callee: format!("{kind}_{number}"), shape })
}

/// The names of the states of a function of these steps.
fn states(steps: &[Step]) -> Vec<String> {
    let body: String = steps.iter().map(Step::source).collect();
    let source: TokenStream =
        format!("async fn run(c: i64) {{ {body} }}").parse().expect("balanced");
    let diagnostics = Diagnostics::new();
    let function = syn::parse2(source).expect("a function");
    let mut function = parse::parse(function, "run".into(), None, &diagnostics).expect("async");
    let (params, body) = (&mut function.params, &mut function.body);
    let locals = resolve::resolve(None, params, body, &diagnostics);
    let tree = anf::convert(None, &function.body, locals, &diagnostics);
    diagnostics.finish().expect("nothing is wrong with it");
    let graph = cfg::build(tree, &function.params);
    let layout = layout::lay_out(&graph, &liveness::analyze(&graph));
    layout.states.into_iter().map(|state| state.name).collect()
}

fn kept(states: Vec<String>) -> Vec<String> {
    states.into_iter().filter(|name| name.starts_with("kept")).collect()
}

/// `kept` in its order, with `others` put in at these places.
fn mixed(kept: &[Step], others: &[(Step, prop::sample::Index)]) -> Vec<Step> {
    let mut steps = kept.to_vec();
    for (step, place) in others {
        steps.insert(place.index(steps.len() + 1), step.clone());
    }
    steps
}

fn others() -> impl Strategy<Value = Vec<(Step, prop::sample::Index)>> {
    prop::collection::vec((step("other"), any::<prop::sample::Index>()), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..Default::default()
    })]

    /// Any edit of the others is: those removed, and those put in.
    #[test]
    fn editing_other_steps_keeps_the_names(
        steps in prop::collection::vec(step("kept"), 1..6),
        before in others(),
        after in others(),
    ) {
        let names = kept(states(&steps));
        prop_assert_eq!(names.len(), steps.len());
        prop_assert_eq!(&names, &kept(states(&mixed(&steps, &before))));
        prop_assert_eq!(&names, &kept(states(&mixed(&steps, &after))));
    }

    /// Steps of different callees can change places with each other.
    #[test]
    fn reordering_steps_keeps_the_names(
        steps in prop::collection::vec(step("kept"), 1..6),
        by in prop::collection::vec(any::<u8>(), 6),
    ) {
        let mut order: Vec<usize> = (0..steps.len()).collect();
        order.sort_by_key(|index| by[*index]);
        // Those of one callee keep their order.
        let mut reordered: Vec<Step> = order.iter().map(|index| steps[*index].clone()).collect();
        let callees: Vec<_> = reordered.iter().map(|step| step.callee.clone()).collect();
        for (place, callee) in callees.iter().enumerate() {
            let nth = callees[..place].iter().filter(|other| *other == callee).count();
            let same = steps.iter().filter(|step| step.callee == *callee);
            reordered[place] = same.clone().nth(nth).expect("as many").clone();
        }
        let by_name = |mut names: Vec<String>| { names.sort(); names };
        prop_assert_eq!(by_name(kept(states(&steps))), by_name(kept(states(&reordered))));
        // A name goes with its step.
        let named = |steps: &[Step]| {
            let mut named: Vec<_> =
                kept(states(steps)).into_iter().zip(steps.iter().map(Step::source)).collect();
            named.sort();
            named
        };
        prop_assert_eq!(named(&steps), named(&reordered));
    }
}
