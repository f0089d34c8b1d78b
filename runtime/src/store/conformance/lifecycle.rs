//! Starts with policies, and timeouts.

use std::time::Duration;

use crate::model::{Link, Payload, RunId, RunStatus, Terms, Timestamp};
use crate::store::conformance::fixture::{StoreUnderTest, accepted, close, new_run, signal};
use crate::store::{
    ArrivalKind, CommitOutcome, ExpireRun, IdPolicy, IdReuse, NewArrival, NewRun, StartOutcome,
    Successor,
};

crate::store::conformance::list_cases!("lifecycle":
    a_policy_says_after_which_runs_an_id_is_used_again,
    an_open_run_makes_room_or_keeps_its_id,
    of_ten_starts_at_once_one_is_the_first,
    ten_starts_that_make_room_leave_one_open_run,
    terms_come_with_the_run,
    a_run_expires_at_its_deadline_and_not_before,
    a_run_that_expires_is_followed,
    deadlines_of_runs_that_are_over_are_forgotten,
    a_run_that_has_not_begun_is_made_due_by_a_request_to_cancel_alone,
);

const ALLOW: IdPolicy = IdPolicy { reuse: IdReuse::Allow, ends_open: false };
const REJECT: IdPolicy = IdPolicy { reuse: IdReuse::Reject, ends_open: false };
const STARTED: StartOutcome = StartOutcome::Started { owned: false };

async fn start(t: &StoreUnderTest, run: NewRun, policy: IdPolicy) -> StartOutcome {
    t.store.start_by_policy(run, policy).await.expect("a run can be started")
}

fn timed(t: &StoreUnderTest, id: &str, seconds: u64) -> NewRun {
    let run_timeout = Some(Duration::from_secs(seconds));
    let terms = Terms { run_timeout, last_result: Some(Payload(vec![7])), ..Terms::default() };
    NewRun { terms: Some(Box::new(terms.begin(t.now()))), ..new_run(id) }
}

async fn expired(t: &StoreUnderTest) -> Vec<(RunId, Timestamp)> {
    let expired = t.store.find_expired(None, 9).await.expect("they can be found");
    expired.runs.iter().map(|run| (run.run_id, run.deadline_at)).collect()
}

async fn expire(
    t: &StoreUnderTest,
    run_id: RunId,
    deadline_at: Timestamp,
    successor: Option<Box<Successor>>,
) -> bool {
    let expiry = ExpireRun { run_id, deadline_at, reason: "late".into(), successor };
    t.store.expire_run(expiry).await.expect("it can be closed")
}

async fn a_policy_says_after_which_runs_an_id_is_used_again(t: StoreUnderTest) {
    let worker = t.worker().await;
    for (status, after_failure) in
        [(RunStatus::Completed, false), (RunStatus::Failed, true), (RunStatus::Cancelled, true)]
    {
        let id = status.as_str();
        let last = t.start_owned(id, worker).await;
        let mut end = close(last, 0);
        end.disposition = crate::store::Disposition::close(status, None, None);
        assert_eq!(t.commit(worker, end).await, CommitOutcome::Committed);
        let used = StartOutcome::IdUsed { run_id: last };
        assert_eq!(start(&t, new_run(id), REJECT).await, used);
        let policy = IdPolicy { reuse: IdReuse::AfterFailure, ends_open: false };
        let expected = if after_failure { STARTED } else { used };
        assert_eq!(start(&t, new_run(id), policy).await, expected, "{status}");
    }
    let run = new_run("again");
    assert_eq!(start(&t, run.clone(), REJECT).await, STARTED);
    assert_eq!(start(&t, run, REJECT).await, StartOutcome::Repeated);
}

async fn an_open_run_makes_room_or_keeps_its_id(t: StoreUnderTest) {
    let worker = t.worker().await;
    let open = t.start_owned("a", worker).await;
    assert_eq!(start(&t, new_run("a"), ALLOW).await, StartOutcome::IdTaken { run_id: open });
    let strict = IdPolicy { reuse: IdReuse::Reject, ends_open: true };
    assert_eq!(start(&t, new_run("a"), strict).await, StartOutcome::IdUsed { run_id: open });
    assert!(t.record(open).await.status.is_open(), "a start that is refused ends nothing");
    let next = new_run("a");
    let next_id = next.run_id;
    assert_eq!(start(&t, next, IdPolicy { ends_open: true, ..ALLOW }).await, STARTED);
    let ended = t.record(open).await;
    assert_eq!((ended.status, ended.owner), (RunStatus::Terminated, None));
    assert_eq!(ended.failure.as_deref(), Some(IdPolicy::REASON));
    assert_eq!(t.record(next_id).await.status, RunStatus::Running);
    assert_eq!(t.commit(worker, close(open, 0)).await, CommitOutcome::Lost);
}

/// The results of ten concurrent tasks, each with its own run.
async fn race(t: &StoreUnderTest, policy: IdPolicy) -> Vec<(RunId, StartOutcome)> {
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let (store, run) = (t.store.clone(), new_run("raced"));
        racing.spawn(async move {
            let run_id = run.run_id;
            let outcome = store.start_by_policy(run, policy).await;
            (run_id, outcome.expect("a run can be started or is refused"))
        });
    }
    racing.join_all().await
}

async fn of_ten_starts_at_once_one_is_the_first(t: StoreUnderTest) {
    let outcomes = race(&t, REJECT).await;
    let started: Vec<_> = outcomes.iter().filter(|(_, outcome)| *outcome == STARTED).collect();
    let [(first, _)] = started[..] else { panic!("one is started: {outcomes:?}") };
    let taken = StartOutcome::IdTaken { run_id: *first };
    let refused = outcomes.iter().filter(|(_, outcome)| *outcome == taken).count();
    assert_eq!(refused, 9, "{outcomes:?}");
}

async fn ten_starts_that_make_room_leave_one_open_run(t: StoreUnderTest) {
    let outcomes = race(&t, IdPolicy { ends_open: true, ..ALLOW }).await;
    let mut open = 0;
    for (run_id, outcome) in outcomes {
        assert_eq!(outcome, STARTED);
        let status = t.record(run_id).await.status;
        open += u32::from(status.is_open());
        assert!(status.is_open() || status == RunStatus::Terminated, "{status}");
    }
    assert_eq!(open, 1);
}

async fn terms_come_with_the_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = timed(&t, "timed", 60);
    let terms = run.terms.clone().map(|terms| *terms);
    let timed_id = run.run_id;
    t.start_all(vec![run, new_run("plain")]).await;
    assert_eq!(t.store.find_terms(timed_id).await.expect("they can be read"), terms);
    for run in t.claim(worker, 9).await {
        assert_eq!(run.has_terms, run.run_id == timed_id);
        let found = t.store.find_terms(run.run_id).await.expect("they can be read");
        assert_eq!(found.is_some(), run.has_terms);
    }
}

async fn a_run_expires_at_its_deadline_and_not_before(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = NewRun { owner: Some(worker), ..timed(&t, "a", 60) };
    let (run_id, deadline) = (run.run_id, t.now() + Duration::from_secs(60));
    t.start_all(vec![run]).await;
    assert_eq!(expired(&t).await, []);
    t.clock.advance(Duration::from_secs(60));
    assert_eq!(expired(&t).await, [(run_id, deadline)]);
    let later = deadline + Duration::from_secs(10);
    let defer = async |from| t.store.defer_deadline(run_id, from, later).await;
    assert!(defer(deadline).await.expect("it can be moved"));
    assert!(!defer(deadline).await.expect("it can be moved"), "it is no longer that");
    assert_eq!(expired(&t).await, []);
    assert!(!expire(&t, run_id, deadline, None).await, "its deadline is another one");
    assert!(t.record(run_id).await.status.is_open());
    t.clock.advance(Duration::from_secs(10));
    assert!(expire(&t, run_id, later, None).await);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.owner, run.due_at), (RunStatus::TimedOut, None, None));
    assert_eq!((run.failure.as_deref(), run.closed_at), (Some("late"), Some(t.now())));
    assert!(!expire(&t, run_id, later, None).await, "it is over");
    assert_eq!(expired(&t).await, []);
}

async fn a_run_that_expires_is_followed(t: StoreUnderTest) {
    let run = timed(&t, "a", 60);
    let (run_id, deadline) = (run.run_id, t.now() + Duration::from_secs(60));
    t.start_all(vec![run]).await;
    t.clock.advance(Duration::from_secs(60));
    let next = timed(&t, "a", 60);
    let (next_id, terms) = (next.run_id, next.terms.clone().map(|terms| *terms));
    let successor = Some(Box::new(Successor { run: next, link: Link::Retry }));
    assert!(expire(&t, run_id, deadline, successor).await);
    assert_eq!(t.record(run_id).await.status, RunStatus::TimedOut);
    assert_eq!(t.record(next_id).await.status, RunStatus::Running);
    assert_eq!(t.store.find_terms(next_id).await.expect("they can be read"), terms);
    let kin = t.store.find_kin(next_id).await.expect("it can be read").expect("it is there");
    assert_eq!((kin.first_run_id, kin.link), (run_id, Some(Link::Retry)));
    assert_eq!(expired(&t).await, []);
    t.clock.advance(Duration::from_secs(60));
    assert_eq!(expired(&t).await, [(next_id, t.now())]);
}

async fn deadlines_of_runs_that_are_over_are_forgotten(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = NewRun { owner: Some(worker), ..timed(&t, "a", 1) };
    let (run_id, deadline) = (run.run_id, t.now() + Duration::from_secs(1));
    t.start_all(vec![run]).await;
    assert_eq!(t.commit(worker, close(run_id, 0)).await, CommitOutcome::Committed);
    t.clock.advance(Duration::from_secs(2));
    assert_eq!(expired(&t).await, []);
    assert!(!expire(&t, run_id, deadline, None).await);
    assert_eq!(t.record(run_id).await.status, RunStatus::Completed);
}

async fn a_run_that_has_not_begun_is_made_due_by_a_request_to_cancel_alone(t: StoreUnderTest) {
    let due_at = t.now() + Duration::from_secs(3_600);
    let run = NewRun { start_at: Some(due_at), ..new_run("later") };
    let run_id = run.run_id;
    assert_eq!(t.start_all(vec![run]).await, [STARTED]);
    assert_eq!(t.deliver(signal(run_id, "early")).await, accepted(1));
    assert_eq!(t.record(run_id).await.due_at, Some(due_at));
    let kind = ArrivalKind::Cancel { reason: "not needed".into() };
    let cancel = NewArrival { run_id, kind, dedup_key: None, owner: None };
    assert_eq!(t.deliver(cancel).await, accepted(2));
    assert_eq!(t.record(run_id).await.due_at, Some(t.now()));
}
