//! The states, branches and locals in the graphs of workflows.

use std::time::Duration;

use piton::model::{BranchNode, Graph, Node, Place};
use piton::prelude::*;

#[activity]
async fn charge(amount: u64) -> u64 {
    amount
}

#[activity]
async fn account(owner: u64) -> u64 {
    owner
}

#[derive(Signal, serde::Serialize, serde::Deserialize)]
struct Go {
    at: u64,
}

#[workflow]
async fn thrice(order: u64) -> u64 {
    let first = charge(order).await;
    let second = charge(order + 1).await;
    #[state("last")]
    let third = charge(order).await;
    first + second + third
}

/// Like `thrice`, with another await before it and other white space.
#[workflow]
async fn thrice_later(cx: &Context, order: u64) -> u64 {
    cx.sleep(Duration::from_secs(1)).await;
    let first = charge(order).await;
    let second = charge(order + 1).await;
    #[state("last")]
    let third = charge(order).await;
    first + second + third
}

#[workflow]
async fn transfer(cx: &Context, from: u64) -> u64 {
    let (payer, payee, sum) = join!(
        #[state("payer")]
        account(from),
        account(2),
        async {
            let sum = charge(1).await;
            sum + account(sum).await
        },
    );
    select! {
        #[state("approved")]
        go = cx.signal::<Go>() => payer + go.at,
        again = cx.signal::<Go>() => payee + again.at,
        _ = cx.sleep(Duration::from_secs(9)) => sum,
    }
}

#[workflow]
async fn rebound(cx: &Context, n: u64) -> u64 {
    let n = n + 1;
    cx.sleep(Duration::from_secs(n)).await;
    let n = charge(n).await;
    let same = charge(1).await;
    cx.sleep(Duration::from_secs(n + same)).await;
    let same = charge(1).await;
    cx.sleep(Duration::from_secs(1)).await;
    n + same
}

#[workflow]
async fn pay(cx: &Context, #[redact] card: u64, amount: u64) -> u64 {
    #[redact]
    let token = charge(card).await;
    let paid = charge(token + charge(1).await).await;
    cx.sleep(Duration::from_secs(1)).await;
    let (receipt, _) = join!(charge(amount), async {
        #[redact]
        let inner = charge(2).await;
        cx.sleep(Duration::from_secs(2)).await;
        inner
    });
    #[redact]
    let cards = vec![card, token];
    for _last in cards {
        cx.sleep_until(cx.now()).await;
    }
    paid + receipt
}

fn node(graph: &Graph, name: &str) -> Node {
    let nodes = graph.nodes().into_iter();
    nodes.into_iter().find(|node| node.name == name).expect("a state of this name")
}

fn of(place: Place) -> (u32, u32) {
    (place.index, place.count)
}

#[test]
fn a_state_says_which_of_the_awaits_of_its_name_it_is() {
    let graph = thrice::GRAPH;
    assert_eq!(of(node(graph, "start").place), (1, 1));
    assert_eq!(of(node(graph, "charge").place), (1, 2));
    assert_eq!(of(node(graph, "charge#2").place), (2, 2));
    assert_eq!(of(node(graph, "last").place), (1, 1));
}

#[test]
fn a_fingerprint_is_that_of_the_awaited_expression() {
    let place = |graph, name: &str| node(graph, name).place;
    let graph = thrice::GRAPH;
    assert_ne!(place(graph, "charge"), place(graph, "charge#2"));
    assert_eq!(place(graph, "charge").fingerprint, place(graph, "last").fingerprint);
    for name in ["charge", "charge#2", "last"] {
        assert_eq!(place(graph, name), place(thrice_later::GRAPH, name), "{name}");
    }
}

#[test]
fn branches_go_by_what_they_await() {
    let branches = |name| {
        let node = node(transfer::GRAPH, name);
        let branch = |branch: BranchNode| (branch.name, branch.is_block, of(branch.place));
        node.branches.into_iter().map(branch).collect::<Vec<_>>()
    };
    let expected = [("payer", false, (1, 1)), ("account", false, (1, 1)), ("async", true, (1, 1))];
    assert_eq!(branches("join"), expected);
    let expected =
        [("approved", false, (1, 1)), ("signal<Go>", false, (1, 1)), ("sleep", false, (1, 1))];
    assert_eq!(branches("select"), expected);
    assert!(branches("join.2.charge").is_empty());
}

#[test]
fn a_local_says_which_of_the_bindings_of_its_name_it_is() {
    let local = |state| {
        let node = node(rebound::GRAPH, state);
        let local = node.locals.iter().next().expect("a local");
        (local.name, local.place)
    };
    let ((name, n), (_, other)) = (local("sleep"), local("sleep#2"));
    assert_eq!((name, of(n)), ("n#2", (2, 3)));
    assert_eq!(of(other), (3, 3));
    assert!(n.fingerprint != 0 && n.fingerprint != other.fingerprint);
    // Only the place distinguishes one `let same = charge(1).await` from the other.
    let last = node(rebound::GRAPH, "sleep#3");
    let same = last.locals.iter().find(|local| local.name == "same#2").expect("a local");
    assert!(matches!(same.place, Place { index: 2, count: 2, fingerprint: 0, others: 1.., .. }));
}

#[test]
fn redacted_locals_are_marked() {
    let redacted = |state| {
        let locals = node(pay::GRAPH, state).locals;
        let redacted = locals.iter().filter(|local| local.redacted);
        (redacted.map(|local| local.name).collect::<Vec<_>>(), locals.len())
    };
    assert_eq!(redacted("charge"), (vec!["card"], 2));
    assert_eq!(redacted("charge#2"), (vec!["card", "token"], 3));
    assert_eq!(redacted("sleep"), (vec!["card", "token"], 4));
    assert_eq!(redacted("join.1.sleep"), (vec!["inner"], 1));
    // The loop's saved rest of it is hidden as well.
    assert_eq!(redacted("sleep_until"), (vec!["rest of _last"], 3));
}
