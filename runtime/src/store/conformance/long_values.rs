//! Large values, which must be stored completely.

use super::fixture::{StoreUnderTest, close_as, keep, new_run, signal};
use crate::model::{Payload, RunStatus};
use crate::store::{
    ArrivalKind, CommitOutcome, CommitStep, Disposition, FirstArrival, MAX_VALUE_BYTES, NewArrival,
    NewRun,
};

crate::store::conformance::list_cases!("long_values":
    a_start_may_be_long_in_all_its_parts,
    a_state_and_a_signal_may_be_long,
    a_result_may_be_long,
);

/// A quarter of the limit, so that the cases are fast.
const LENGTH: usize = MAX_VALUE_BYTES / 4;

/// Encoding an arrival takes about a second per MiB in a build without optimization.
const SIGNAL_LENGTH: usize = 1 << 20;

/// Bytes that no database can compress: repetitions are far apart.
fn long(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let chunk: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take(1 << 16)
    .collect();
    chunk.repeat(length / chunk.len())
}

fn long_signal() -> ArrivalKind {
    ArrivalKind::Signal { name: "long".into(), payload: Payload(long(SIGNAL_LENGTH)) }
}

async fn a_start_may_be_long_in_all_its_parts(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = FirstArrival { kind: long_signal(), dedup_key: None };
    let (arguments, first) = (Payload(long(LENGTH)), Some(first));
    let run = NewRun { arguments, snapshot: long(LENGTH), first, ..new_run("a") };
    t.start_all(vec![run]).await;
    let [run] = &t.claim(worker, 10).await[..] else { panic!("one run is due") };
    assert!(run.snapshot == long(LENGTH));
    let inbox = t.store.read_inbox(run.run_id, 0, 10).await.expect("it can be read");
    assert!(inbox.arrivals.len() == 1 && inbox.arrivals[0].kind == long_signal());
}

async fn a_state_and_a_signal_may_be_long(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let state = Disposition::Keep { snapshot: long(LENGTH), state: "long".into() };
    let step = CommitStep { disposition: state, ..keep(run_id, 0, "long") };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    t.deliver(NewArrival { kind: long_signal(), ..signal(run_id, "long") }).await;
    let snapshot = t.store.find_snapshot(run_id).await.expect("it can be looked at");
    assert!(snapshot == Some(long(LENGTH)));
    let inbox = t.store.read_inbox(run_id, 0, 10).await.expect("it can be read");
    assert!(inbox.arrivals.len() == 1 && inbox.arrivals[0].kind == long_signal());
}

async fn a_result_may_be_long(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let result = Some(Payload(long(LENGTH)));
    let step = close_as(run_id, 0, RunStatus::Completed, result.clone(), None);
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert!(t.record(run_id).await.result == result);
}
