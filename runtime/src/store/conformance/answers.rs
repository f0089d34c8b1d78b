//! The size limit of one response.

use std::time::Duration;

use futures_util::future::join_all;

use super::fixture::{
    ACTIVITY, QUEUE, StoreUnderTest, activity as activity_of, beat, by_worker, new_run, retry,
    signal,
};
use crate::filter::Filter;
use crate::machine::OperationOutcome;
use crate::model::{Payload, RunId, RunStatus, StepNo};
use crate::store::{
    ActivityEnd, ActivityHeartbeat, ActivityLimits, ArrivalKind, ClaimActivities, ClaimedActivity,
    CommitStep, Disposition, FinishActivity, FinishOutcome, FoundEnding, Inbox, MAX_ANSWER_BYTES,
    NewActivity, NewArrival, NewRun, Reporter, RunQuery, WorkerLease,
};

crate::store::conformance::list_cases!("answers":
    a_claim_ends_with_the_snapshots_that_fit,
    snapshots_of_what_has_just_fallen_due_count,
    a_snapshot_that_is_longer_comes_alone,
    what_is_behind_a_longer_snapshot_waits_for_it,
    a_claim_has_the_arrivals_that_fit,
    the_arrivals_of_all_runs_of_a_claim_fit_together,
    an_inbox_is_read_as_far_as_it_fits,
    an_arrival_that_is_longer_comes_alone,
    inboxes_read_at_once_come_all_the_same,
    a_claim_ends_with_the_calls_that_fit,
    a_call_that_is_longer_comes_alone,
    what_heartbeats_have_said_counts,
    calls_for_which_there_is_no_room_do_not_count,
    recovered_runs_come_as_far_as_they_fit,
    what_is_recovered_and_longer_comes_alone,
    expired_activities_come_as_far_as_they_fit,
    a_review_has_the_strays_that_fit,
    endings_are_found_as_far_as_they_fit,
    an_ending_that_is_longer_comes_alone,
    a_list_ends_with_the_results_that_fit,
);

/// Two fit, three do not.
const HALF: usize = MAX_ANSWER_BYTES / 2;

/// Fits only alone.
const LONGER: usize = MAX_ANSWER_BYTES + 1;

/// Starts runs with snapshots of these sizes, due in this order.
async fn start_all(t: &StoreUnderTest, lengths: &[usize]) -> Vec<RunId> {
    let mut run_ids = Vec::new();
    for length in lengths {
        let run = NewRun { snapshot: vec![1; *length], ..new_run(&RunId::new().to_string()) };
        run_ids.push(run.run_id);
        t.start_all(vec![run]).await;
        t.clock.advance(Duration::from_millis(1));
    }
    run_ids
}

async fn a_claim_ends_with_the_snapshots_that_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = start_all(&t, &[HALF, HALF, HALF, 1]).await;
    let claimed = t.try_claim(worker, 10).await.expect("a valid worker can claim");
    assert_eq!(claimed.runs.iter().map(|run| run.run_id).collect::<Vec<_>>(), run_ids[..2]);
    assert!(claimed.runs.iter().all(|run| run.snapshot.len() == HALF));
    assert!(claimed.next_due_at.is_some_and(|due_at| due_at <= claimed.now), "there are more");
    let claimed = t.try_claim(worker, 10).await.expect("a valid worker can claim");
    assert_eq!(claimed.runs.iter().map(|run| run.run_id).collect::<Vec<_>>(), run_ids[2..]);
    assert_eq!(claimed.next_due_at, None);
}

async fn snapshots_of_what_has_just_fallen_due_count(t: StoreUnderTest) {
    let worker = t.worker().await;
    let long = |id: &str| NewRun { snapshot: vec![1; HALF], ..new_run(id) };
    t.start_all(["a", "b", "c"].map(long).to_vec()).await;
    assert_eq!(t.claim(worker, 10).await.len(), 2);
    assert_eq!(t.claim(worker, 10).await.len(), 1);
}

async fn a_snapshot_that_is_longer_comes_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = start_all(&t, &[LONGER, 1]).await;
    assert_eq!(t.claim_ids(worker, 10).await, run_ids[..1]);
    assert_eq!(t.claim_ids(worker, 10).await, run_ids[1..]);
}

/// Otherwise it would be delayed as long as others arrive.
async fn what_is_behind_a_longer_snapshot_waits_for_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = start_all(&t, &[1, LONGER, 1]).await;
    for run_id in run_ids {
        assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
    }
}

/// A signal of about this size, at most a hundred bytes more.
fn long(run_id: RunId, length: usize) -> NewArrival {
    let kind = ArrivalKind::Signal { name: "long".into(), payload: Payload(vec![1; length]) };
    NewArrival { kind, ..signal(run_id, "long") }
}

fn numbers(inbox: &Inbox) -> Vec<i64> {
    inbox.arrivals.iter().map(|arrival| arrival.seq).collect()
}

/// A run with arrivals of these sizes.
async fn start_with(t: &StoreUnderTest, lengths: &[usize]) -> RunId {
    let run_id = t.start(&RunId::new().to_string()).await;
    t.deliver_all(lengths.iter().map(|length| long(run_id, *length)).collect()).await;
    run_id
}

async fn read(t: &StoreUnderTest, run_id: RunId, after: i64) -> Inbox {
    t.store.read_inbox(run_id, after, 100).await.expect("inboxes can be read")
}

async fn a_claim_has_the_arrivals_that_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = start_with(&t, &[HALF - 100, HALF - 100, HALF, 1]).await;
    let [run] = &t.claim(worker, 10).await[..] else { panic!("the run is due") };
    assert_eq!((numbers(&run.inbox), run.inbox.has_more), (vec![1, 2], true));
    assert_eq!(run.inbox_count, 4);
    let rest = read(&t, run_id, 2).await;
    assert_eq!((numbers(&rest), rest.has_more), (vec![3, 4], false));
}

async fn the_arrivals_of_all_runs_of_a_claim_fit_together(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = [start_with(&t, &[HALF + 1]).await, start_with(&t, &[HALF + 1]).await];
    let claimed = t.claim(worker, 10).await;
    assert_eq!(claimed.iter().map(|run| run.run_id).collect::<Vec<_>>(), run_ids);
    assert_eq!((numbers(&claimed[0].inbox), claimed[0].inbox.has_more), (vec![1], false));
    assert_eq!((numbers(&claimed[1].inbox), claimed[1].inbox.has_more), (vec![], true));
    let rest = read(&t, run_ids[1], 0).await;
    assert_eq!((numbers(&rest), rest.has_more), (vec![1], false));
}

async fn an_inbox_is_read_as_far_as_it_fits(t: StoreUnderTest) {
    let run_id = start_with(&t, &[HALF - 100, HALF - 100, HALF, 1]).await;
    let first = read(&t, run_id, 0).await;
    assert_eq!((numbers(&first), first.has_more), (vec![1, 2], true));
    let rest = read(&t, run_id, 2).await;
    assert_eq!((numbers(&rest), rest.has_more), (vec![3, 4], false));
}

async fn an_arrival_that_is_longer_comes_alone(t: StoreUnderTest) {
    let run_id = start_with(&t, &[1, LONGER, 1]).await;
    for (after, has_more) in [(0, true), (1, true), (2, false)] {
        let part = read(&t, run_id, after).await;
        assert_eq!((numbers(&part), part.has_more), (vec![after + 1], has_more));
    }
}

async fn inboxes_read_at_once_come_all_the_same(t: StoreUnderTest) {
    let mut run_ids = Vec::new();
    for _ in 0..4 {
        run_ids.push(start_with(&t, &[HALF + 1]).await);
    }
    let inboxes = join_all(run_ids.iter().map(|run_id| read(&t, *run_id, 0))).await;
    for inbox in inboxes {
        assert_eq!((numbers(&inbox), inbox.has_more), (vec![1], false));
    }
}

/// Makes a run request activities with calls of these sizes.
async fn queue(t: &StoreUnderTest, owner: WorkerLease, lengths: &[usize]) {
    let asked = (0..).zip(lengths).map(|(handle, length)| {
        let call = vec![1; *length];
        NewActivity { call, ..activity_of(handle) }
    });
    t.queue(owner, asked.collect()).await;
}

/// The handles in a claim, and whether it says that there is more.
async fn claim_handles(t: &StoreUnderTest, worker: WorkerLease) -> (Vec<u64>, bool) {
    let claimed = t.try_claim_activities(worker, 10).await.expect("a valid worker can claim");
    let handles = claimed.activities.iter().map(|claimed| claimed.key.handle.0).collect();
    (handles, claimed.next_due_at.is_some_and(|due_at| due_at <= claimed.now))
}

async fn a_claim_ends_with_the_calls_that_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    queue(&t, worker, &[HALF, HALF, HALF, 1]).await;
    assert_eq!(claim_handles(&t, worker).await, (vec![0, 1], true));
    assert_eq!(claim_handles(&t, worker).await, (vec![2, 3], false));
}

async fn a_call_that_is_longer_comes_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    queue(&t, worker, &[1, LONGER, 1]).await;
    for handle in 0..3 {
        assert_eq!(claim_handles(&t, worker).await, (vec![handle], handle < 2));
    }
}

async fn what_heartbeats_have_said_counts(t: StoreUnderTest) {
    let worker = t.worker().await;
    queue(&t, worker, &[1, 1]).await;
    for claimed in t.claim_activities(worker, 2).await {
        let details = Some(Payload(vec![1; HALF]));
        t.heartbeat(ActivityHeartbeat { details, ..beat(worker, &claimed, None) }).await;
        let end = by_worker(worker, &claimed, retry(t.now()));
        assert_eq!(t.finish(end).await, FinishOutcome::Finished);
    }
    assert_eq!(claim_handles(&t, worker).await, (vec![0], true));
    assert_eq!(claim_handles(&t, worker).await, (vec![1], false));
}

/// There is no room for the first due one: it is not returned, and takes no room from the others.
async fn calls_for_which_there_is_no_room_do_not_count(t: StoreUnderTest) {
    let worker = t.worker().await;
    let other = |handle| {
        let (activity, call) = ("other".to_owned(), vec![1; HALF]);
        NewActivity { activity, call, ..activity_of(handle) }
    };
    t.queue(worker, vec![other(0), other(1)]).await;
    t.clock.advance(Duration::from_millis(1));
    queue(&t, worker, &[HALF - 1]).await;
    let (queues, activities) = (&[(QUEUE, 10)], &[("other", 1), (ACTIVITY, 10)]);
    let request = ClaimActivities { worker, queues, activities, limit: 10 };
    let claimed = t.store.claim_activities(request).await.expect("a valid worker can claim");
    let lengths: Vec<usize> = claimed.activities.iter().map(|one| one.call.len()).collect();
    assert_eq!(lengths, [HALF, HALF - 1]);
}

/// Calls until nothing is returned, as if earlier results were not held.
async fn recover_all(t: &StoreUnderTest, worker: WorkerLease) -> Vec<usize> {
    let (mut known, mut answers) = (Vec::new(), Vec::new());
    loop {
        let recovered = t.store.recover_claims(worker, &known, 10).await;
        let recovered = recovered.expect("a valid worker can ask");
        if recovered.is_empty() {
            known.sort_unstable();
            known.dedup();
            assert_eq!(known.len(), answers.iter().sum::<usize>(), "some came twice");
            return answers;
        }
        let bytes: usize = recovered.iter().map(|run| run.snapshot.len()).sum();
        assert!(bytes <= MAX_ANSWER_BYTES || recovered.len() == 1, "{bytes}");
        answers.push(recovered.len());
        known.extend(recovered.iter().map(|run| run.run_id));
    }
}

/// Starts runs that a worker owns, with snapshots of these sizes.
async fn start_owned(t: &StoreUnderTest, worker: WorkerLease, lengths: &[usize]) {
    for length in lengths {
        let run = NewRun {
            snapshot: vec![1; *length],
            owner: Some(worker),
            ..new_run(&RunId::new().to_string())
        };
        t.start_all(vec![run]).await;
    }
}

async fn recovered_runs_come_as_far_as_they_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    start_owned(&t, worker, &[HALF; 5]).await;
    assert_eq!(recover_all(&t, worker).await, [2, 2, 1]);
}

async fn what_is_recovered_and_longer_comes_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    start_owned(&t, worker, &[LONGER, LONGER]).await;
    assert_eq!(recover_all(&t, worker).await, [1, 1]);
}

async fn expired_activities_come_as_far_as_they_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    for (handle, length) in (0..).zip([HALF, HALF, LONGER, 1]) {
        let limits = ActivityLimits { close_by: Some(t.now()), ..ActivityLimits::default() };
        let call = vec![1; length];
        t.queue(worker, vec![NewActivity { call, limits, ..activity_of(handle) }]).await;
        t.clock.advance(Duration::from_millis(1));
    }
    for expected in [vec![0, 1], vec![2], vec![3], vec![]] {
        let expired = t.store.expired_activities(10).await.expect("they can be looked up");
        let handles: Vec<u64> = expired.iter().map(|expired| expired.key.handle.0).collect();
        assert_eq!(handles, expected);
        for expired in expired {
            let (key, attempt, reporter) = (expired.key, expired.attempt, Reporter::Expiry);
            let end = ActivityEnd::Outcome(OperationOutcome::TimedOut(expired.limit));
            let end = FinishActivity { key, attempt, reporter, end };
            assert_eq!(t.finish(end).await, FinishOutcome::Finished);
        }
    }
}

/// Including the details of heartbeats, which are returned as well.
async fn a_review_has_the_strays_that_fit(t: StoreUnderTest) {
    let worker = t.worker().await;
    queue(&t, worker, &[HALF, HALF, LONGER, 1, 1]).await;
    let mut given = Vec::new();
    while given.len() < 5 {
        given.extend(t.claim_activities(worker, 5).await);
    }
    let details = Some(Payload(vec![1; HALF]));
    t.heartbeat(ActivityHeartbeat { details, ..beat(worker, &given[4], None) }).await;
    let (mut held, mut handles) = (vec![(given[3].key, 1)], Vec::new());
    loop {
        let reviewed = t.store.review_activities(worker, &held).await.expect("it can ask");
        assert!(reviewed.lost.is_empty());
        let weight = |one: &ClaimedActivity| {
            one.call.len() + one.details.as_ref().map_or(0, |details| details.as_bytes().len())
        };
        let bytes: usize = reviewed.strays.iter().map(weight).sum();
        assert!(bytes <= MAX_ANSWER_BYTES || reviewed.strays.len() == 1, "{bytes}");
        assert!(!reviewed.strays.is_empty(), "there is one at least");
        held.extend(reviewed.strays.iter().map(|one| (one.key, one.attempt)));
        handles.push(reviewed.strays.iter().map(|one| one.key.handle.0).collect::<Vec<_>>());
        if !reviewed.has_more {
            break;
        }
    }
    assert_eq!(handles, [vec![0, 1], vec![2], vec![4]]);
    let reviewed = t.store.review_activities(worker, &held).await.expect("it can ask");
    assert_eq!((reviewed.strays, reviewed.has_more), (vec![], false));
}

/// Runs with results of these sizes, or open ones.
async fn end_all(t: &StoreUnderTest, lengths: &[Option<usize>]) -> Vec<RunId> {
    let worker = t.worker().await;
    let mut run_ids = Vec::new();
    for length in lengths {
        let run_id = t.start_owned(&RunId::new().to_string(), worker).await;
        if let Some(length) = length {
            let (status, result) = (RunStatus::Completed, Some(Payload(vec![1; *length])));
            let disposition = Disposition::close(status, result, None);
            t.commit(worker, CommitStep::new(run_id, StepNo(0), disposition)).await;
        }
        run_ids.push(run_id);
    }
    run_ids
}

/// The sizes of the results found, in the requested order.
async fn find_lengths(t: &StoreUnderTest, run_ids: &[RunId]) -> Vec<usize> {
    let found = t.store.find_endings(run_ids).await.expect("endings can be looked up");
    let length = |found: FoundEnding| match found {
        FoundEnding::Closed(ending) => ending.result.map_or(0, |result| result.as_bytes().len()),
        FoundEnding::Open | FoundEnding::Unknown => 0,
    };
    found.into_iter().map(length).collect()
}

async fn endings_are_found_as_far_as_they_fit(t: StoreUnderTest) {
    let half = Some(HALF);
    let mut run_ids = end_all(&t, &[None, half, half, half, None]).await;
    run_ids.insert(1, RunId::new());
    assert_eq!(find_lengths(&t, &run_ids).await, [0, 0, HALF, HALF]);
    assert_eq!(find_lengths(&t, &run_ids[4..]).await, [HALF, 0]);
    // One that is asked for twice is given twice.
    assert_eq!(find_lengths(&t, &[run_ids[2]; 3]).await, [HALF, HALF]);
}

async fn an_ending_that_is_longer_comes_alone(t: StoreUnderTest) {
    let run_ids = end_all(&t, &[Some(1), Some(LONGER), None]).await;
    assert_eq!(find_lengths(&t, &run_ids).await, [1]);
    assert_eq!(find_lengths(&t, &run_ids[1..]).await, [LONGER]);
    assert_eq!(find_lengths(&t, &run_ids[2..]).await, [0]);
}

async fn a_list_ends_with_the_results_that_fit(t: StoreUnderTest) {
    let run_ids = end_all(&t, &[Some(1), Some(LONGER), Some(HALF), Some(HALF), None]).await;
    let mut newest_first = run_ids;
    newest_first.sort_unstable_by(|one, other| other.cmp(one));
    let (mut listed, all): (Vec<RunId>, _) = (Vec::new(), Filter::all());
    loop {
        let after = listed.last().copied().map(Into::into);
        let page = t.store.list_runs(RunQuery { after, limit: 10, ..RunQuery::of(&all) }).await;
        let page = page.expect("runs can be listed");
        let lengths =
            page.iter().map(|run| run.result.as_ref().map_or(0, |it| it.as_bytes().len()));
        let bytes: usize = lengths.sum();
        assert!(bytes <= MAX_ANSWER_BYTES || page.len() == 1, "{bytes}");
        if page.is_empty() {
            break;
        }
        listed.extend(page.iter().map(|run| run.run_id));
    }
    assert_eq!(listed, newest_first);
}
