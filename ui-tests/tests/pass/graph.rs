use piton::machine::Signal as _;
use piton::model::AwaitKind;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    cents: u64,
}

#[derive(Signal, Serialize, Deserialize)]
struct Approve {
    by: String,
}

#[activity]
async fn charge(cents: u64) -> Result<u64, String> {
    Ok(cents)
}

#[activity]
async fn refund(receipt: u64) -> u64 {
    receipt
}

#[workflow]
async fn fulfill(cx: &Context, order: Order) -> piton::Result<Vec<u64>> {
    let receipt = charge(order.cents).await?;
    if order.cents > 100 {
        #[state("awaiting_approval")]
        select! {
            approve = cx.signal::<Approve>() => info(&approve.by),
            _ = cx.sleep(days(3)) => { refund(receipt).await; bail!("nobody approved") }
        }
    }
    let mut parcels: Vec<u64> = Vec::new();
    for part in 0..3_u64 {
        parcels.push(charge(part).await? + receipt);
    }
    parcels.push(
        #[state("tip")]
        charge(7).await?,
    );
    Ok(parcels)
}

fn info(_: &str) {}

#[test]
fn the_graph_is_data() {
    let names: Vec<_> = fulfill::GRAPH.nodes().iter().map(|node| (node.name, node.kind)).collect();
    assert_eq!(
        names,
        [
            ("start", AwaitKind::Start),
            ("charge", AwaitKind::Call),
            ("awaiting_approval", AwaitKind::Select),
            ("refund", AwaitKind::Call),
            ("charge#2", AwaitKind::Call),
            ("tip", AwaitKind::Call),
        ]
    );
    let lines: Vec<_> = fulfill::GRAPH.nodes().iter().map(|node| node.line).collect();
    assert!(
        lines.is_sorted()
            && fulfill::GRAPH.nodes().iter().all(|node| node.file.ends_with("graph.rs"))
    );
    let locals = |index: usize| {
        let locals = fulfill::GRAPH.nodes()[index].locals.iter();
        locals.map(|local| (local.name, local.ty)).collect::<Vec<_>>()
    };
    assert_eq!(locals(1), [("order", Some("Order"))]);
    assert_eq!(locals(2), [("receipt", None)]);
    let of_loop = locals(4);
    assert!(of_loop.contains(&("parcels", Some("Vec<u64>"))), "{of_loop:?}");
    assert_eq!(Approve::NAME, "Approve");
}

#[test]
fn the_graph_as_mermaid() {
    assert_eq!(
        fulfill::GRAPH.to_mermaid(),
        "stateDiagram-v2
    s0: start
    s1: charge
    s2: awaiting_approval
    s3: refund
    s4: charge#2
    s5: tip
    [*] --> s0
    s0 --> s1
    s1 --> [*]
    s1 --> s2
    s1 --> s4
    s1 --> s5
    s2 --> s3
    s2 --> s4
    s2 --> s5
    s3 --> [*]
    s4 --> [*]
    s4 --> s4
    s4 --> s5
    s5 --> [*]
"
    );
}

#[test]
fn the_graph_as_dot() {
    assert_eq!(
        fulfill::GRAPH.to_dot(),
        r#"digraph "fulfill" {
    end [shape=doublecircle label=""]
    s0 [shape=box label="start"]
    s1 [shape=box label="charge"]
    s2 [shape=box label="awaiting_approval"]
    s3 [shape=box label="refund"]
    s4 [shape=box label="charge#2"]
    s5 [shape=box label="tip"]
    s0 -> s1
    s1 -> end
    s1 -> s2
    s1 -> s4
    s1 -> s5
    s2 -> s3
    s2 -> s4
    s2 -> s5
    s3 -> end
    s4 -> end
    s4 -> s4
    s4 -> s5
    s5 -> end
}
"#
    );
}
