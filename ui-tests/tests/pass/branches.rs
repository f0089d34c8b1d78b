use piton::machine::{Progress, Standalone};
use piton::model::Timestamp;
use piton::prelude::*;

#[activity]
async fn pack(order: u64) -> u64 {
    order
}

#[activity]
async fn ship(order: u64) -> u64 {
    order
}

#[workflow]
async fn send(order: u64) -> u64 {
    let (packed, sum) = join!(async { pack(order).await + ship(order).await }, async {
        select! {
            first = ship(1) => first,
            second = async {
                pack(2).await;
                ship(2).await
            } => second,
        }
    });
    packed + sum
}

#[test]
fn each_block_tells_where_it_stands() {
    let now = Timestamp(0);
    let mut run = Standalone::start(send(7)).unwrap();
    assert_eq!(run.branches().unwrap(), [""; 0]);
    assert_eq!(run.advance(now).unwrap(), Progress::Waiting);
    assert_eq!(run.state(), "join");
    let at_first = ["join.0.pack", "join.1.select", "join.1.select.1.pack"];
    assert_eq!(run.branches().unwrap(), at_first);

    let reply = |run: &mut Standalone<send>, index: usize| {
        let handle = run.waiting_for()[index].0;
        run.reply(handle, &1_u64).unwrap();
        run.advance(now).unwrap()
    };
    assert_eq!(reply(&mut run, 2), Progress::Waiting);
    let at_second = ["join.0.pack", "join.1.select", "join.1.select.1.ship"];
    assert_eq!(run.branches().unwrap(), at_second);
    assert_eq!(reply(&mut run, 1), Progress::Waiting);
    assert_eq!(run.branches().unwrap(), ["join.0.pack"], "the other block is done");
}
