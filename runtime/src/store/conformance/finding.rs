//! Attributes, memos, filters over them, orders, pages and counts.

use std::time::Duration;

use serde_json::json;

use super::fixture::{StoreUnderTest, block, close, keep, new_run, park};
use crate::filter::{self, Column, Filter, FilterTime};
use crate::model::{
    AttributeChanges, AttributeMap, AttributeValue, Memo, RunId, RunStatus, Timestamp,
};
use crate::store::{
    CommitStep, Effect, NewRun, OrderBy, RunCount, RunOrder, RunQuery, StartOutcome,
};

crate::store::conformance::list_cases!("finding":
    a_run_has_what_it_was_started_with,
    a_run_that_is_refused_leaves_no_attributes,
    a_step_sets_and_unsets_attributes,
    a_step_that_is_lost_sets_nothing,
    a_step_replaces_the_memo,
    attributes_stay_when_a_run_closes,
    runs_are_found_by_each_kind_of_attribute,
    the_names_of_attributes_are_listed,
    what_is_not_set_is_neither_so_nor_not_so,
    long_texts_are_told_apart_behind_their_beginning,
    a_run_is_where_it_is_since_its_last_step,
    runs_are_found_by_their_own_workflow_ids,
    lists_are_in_the_order_asked_for,
    pages_do_not_shift_when_runs_are_started,
    counts_go_by_each_column,
);

fn values() -> AttributeMap {
    let keywords = ["red", "green"].map(str::to_owned).to_vec();
    [
        ("customer", AttributeValue::Keyword("c-17".into())),
        ("colors", AttributeValue::Keywords(keywords)),
        ("note", AttributeValue::Text("a \"long\" note, 50% 'off'\u{1f600}".into())),
        ("cents", AttributeValue::Integer(-1_250)),
        ("most", AttributeValue::Integer(i64::MAX)),
        ("ratio", AttributeValue::Float(0.1 + 0.2)),
        ("tiny", AttributeValue::Float(f64::from_bits(1))),
        ("huge", AttributeValue::Float(f64::MAX)),
        ("express", AttributeValue::Bool(true)),
        ("ship_by", AttributeValue::Time(Timestamp(1_767_225_600_000_001))),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

async fn found(t: &StoreUnderTest, filter: &Filter) -> Vec<RunId> {
    let runs = t.store.list_runs(RunQuery::of(filter)).await.expect("runs can be listed");
    let counted = t.store.count_runs(filter, None).await.expect("runs can be counted");
    assert_eq!(counted, [RunCount { key: None, runs: runs.len() as u64 }], "{filter}");
    runs.iter().map(|run| run.run_id).collect()
}

async fn found_by(t: &StoreUnderTest, text: &str) -> Vec<RunId> {
    let filter: Filter = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    found(t, &filter).await
}

async fn a_run_has_what_it_was_started_with(t: StoreUnderTest) {
    let memo: Memo =
        [("item", json!("a \\ \"thing\"")), ("many", json!([1, null]))].into_iter().collect();
    let labelled = NewRun { attributes: values(), memo: memo.clone(), ..new_run("a") };
    let plain = new_run("b");
    let (run_id, other) = (labelled.run_id, plain.run_id);
    t.start_all(vec![labelled, plain]).await;
    let run = t.record(run_id).await;
    assert_eq!((run.attributes, run.memo), (values(), memo.clone()));
    let run = t.record(other).await;
    assert_eq!((run.attributes, run.memo), (AttributeMap::new(), Memo::new()));
    let details = t.other.find_details(run_id).await.expect("runs can be looked up");
    assert_eq!(details.expect("it is there").run.attributes, values());
    let all = Filter::all();
    let listed = t.store.list_runs(RunQuery::of(&all)).await.expect("runs can be listed");
    let listed = listed.into_iter().find(|run| run.run_id == run_id).expect("it is listed");
    assert_eq!((listed.attributes, listed.memo), (values(), memo));
}

async fn a_run_that_is_refused_leaves_no_attributes(t: StoreUnderTest) {
    let first = NewRun { attributes: values(), ..new_run("a") };
    t.start_all(vec![first.clone()]).await;
    let second = NewRun { attributes: values(), ..new_run("a") };
    let runs = vec![second, first.clone(), NewRun { attributes: values(), ..new_run("b") }];
    let outcomes = t.store.start_runs(runs).await.expect("runs can be started");
    assert_eq!(outcomes[0], StartOutcome::IdTaken { run_id: first.run_id });
    assert_eq!(outcomes[1], StartOutcome::Repeated);
    assert_eq!(found_by(&t, "customer = 'c-17'").await.len(), 2);
    assert_eq!(t.record(first.run_id).await.attributes, values());
}

fn setting(step: CommitStep, changes: AttributeChanges) -> CommitStep {
    CommitStep { effects: vec![Effect::SetAttributes(changes)], ..step }
}

async fn a_step_sets_and_unsets_attributes(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = NewRun { attributes: values(), owner: Some(worker), ..new_run("a") };
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    let fewer = vec!["blue".to_owned()];
    let changes = AttributeChanges::new()
        .with("customer", None::<String>)
        .with("colors", fewer.clone())
        .with("cents", 0.5)
        .with("fresh", true);
    t.commit(worker, setting(keep(run_id, 0, "one"), changes)).await;
    let mut expected = values();
    expected.remove("customer");
    expected.insert("colors".into(), AttributeValue::Keywords(fewer));
    expected.insert("cents".into(), AttributeValue::Float(0.5));
    expected.insert("fresh".into(), AttributeValue::Bool(true));
    assert_eq!(t.record(run_id).await.attributes, expected);
    assert_eq!(found_by(&t, "customer = 'c-17'").await, []);
    assert_eq!(found_by(&t, "colors = 'red'").await, []);
    assert_eq!(found_by(&t, "colors = 'blue' and fresh = true").await, [run_id]);
    // Of two in one step the second counts.
    let again = ["x", "y"].map(|name| AttributeChanges::new().with("customer", name));
    let step =
        CommitStep { effects: again.map(Effect::SetAttributes).to_vec(), ..keep(run_id, 1, "two") };
    t.commit(worker, step).await;
    assert_eq!(found_by(&t, "customer in ('x', 'y')").await, [run_id]);
    assert_eq!(found_by(&t, "customer = 'x'").await, []);
}

async fn a_step_that_is_lost_sets_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let changes = AttributeChanges::new().with("customer", "c-17");
    t.commit(worker, setting(keep(run_id, 7, "one"), changes)).await;
    assert_eq!(t.record(run_id).await.attributes, AttributeMap::new());
}

async fn a_step_replaces_the_memo(t: StoreUnderTest) {
    let worker = t.worker().await;
    let memo = |text: &str| [("note", text), ("by", "Höhe \"1\"")].into_iter().collect::<Memo>();
    let runs = ["a", "b", "c"].map(|id| {
        let memo = if id == "c" { Memo::new() } else { memo("first") };
        NewRun { memo, owner: Some(worker), ..new_run(id) }
    });
    let [one, two, three] = runs.each_ref().map(|run| run.run_id);
    t.start_all(runs.to_vec()).await;
    let set = |run_id, expected, memos: Vec<Memo>| CommitStep {
        effects: memos.into_iter().map(Effect::SetMemo).collect(),
        ..keep(run_id, expected, "one")
    };
    t.commit(worker, set(one, 0, vec![memo("lost"), memo("second")])).await;
    t.commit(worker, set(two, 0, vec![Memo::new()])).await;
    t.commit(worker, set(three, 0, vec![memo("third")])).await;
    t.commit(worker, set(three, 7, vec![memo("of no step")])).await;
    for (run_id, expected) in [(one, memo("second")), (two, Memo::new()), (three, memo("third"))] {
        assert_eq!(t.record(run_id).await.memo, expected);
    }
}

async fn attributes_stay_when_a_run_closes(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let changes = AttributeChanges::new().with("customer", "c-17");
    t.commit(worker, setting(close(run_id, 0), changes)).await;
    assert_eq!(found_by(&t, "customer = 'c-17' and status = 'completed'").await, [run_id]);
}

async fn runs_are_found_by_each_kind_of_attribute(t: StoreUnderTest) {
    let run = NewRun { attributes: values(), ..new_run("a") };
    let run_id = run.run_id;
    t.start_all(vec![run, new_run("b")]).await;
    for holds in [
        "customer = 'c-17'",
        "customer in ('c-16', 'c-17')",
        "customer like 'c-%'",
        "customer > 'c-1' and customer < 'c-2'",
        "customer != 'c-18'",
        "customer between 'c-17' and 'c-17'",
        "colors = 'green'",
        "colors = 'red' and colors like 'gre%'",
        "colors != 'blue'",
        "note like 'a \"long\" note%'",
        "cents = -1250",
        "cents < -1249.5 and cents >= -1250.0",
        "cents in (1, -1250)",
        "most = 9223372036854775807 and most > 1e18",
        "ratio > 0.3 and ratio < 1",
        "ratio = 0.30000000000000004",
        "express = true and express != false",
        "ship_by > '2026-01-01' and ship_by < '2026-01-01T00:00:01Z'",
        "ship_by > timestamp '2026-01-01'",
        "customer = 'c-17' and colors = 'red' and cents < 0 and workflow_id = 'a'",
        "not (customer = 'x' or cents > 0)",
    ] {
        assert_eq!(found_by(&t, holds).await, [run_id], "{holds}");
    }
    for fails in [
        "customer = 'C-17'",
        "customer != 'c-17'",
        "customer > 5 or customer < 5 or customer != 5",
        "colors != 'red'",
        "not (colors = 'red' and colors = 'green')",
        "cents = -1250.5",
        "most > 9223372036854775807",
        "express = false",
        "ship_by > '2026-01-02'",
        "stranger = 'x' or stranger != 'x' or not stranger in ('x')",
        "customer = 'c-17' and workflow_id = 'b'",
    ] {
        assert_eq!(found_by(&t, fails).await, [], "{fails}");
    }
}

async fn what_is_not_set_is_neither_so_nor_not_so(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    for fails in ["closed_at > '2000-01-01'", "not closed_at > '2000-01-01'", "due_at < now()"] {
        assert_eq!(found_by(&t, fails).await, [], "{fails}");
    }
    let holds = "closed_at is null and customer is null and blocked_kind is null and not due_at is not null";
    assert_eq!(found_by(&t, holds).await, [run_id]);
    t.commit(worker, block(run_id, 0)).await;
    for holds in [
        "blocked_kind = 'panicked'",
        "blocked_kind != 'unfit' and status = 'blocked'",
        "blocked_at <= now() and blocked_at > now() - interval '1 hour'",
        "blocked_kind is not null and true",
    ] {
        assert_eq!(found_by(&t, holds).await, [run_id], "{holds}");
    }
}

async fn long_texts_are_told_apart_behind_their_beginning(t: StoreUnderTest) {
    let long = |end: &str| format!("{}{end}", "é".repeat(150));
    let mut run_ids = Vec::new();
    for end in ["a", "b"] {
        let attributes =
            [("note".to_owned(), AttributeValue::Text(long(end)))].into_iter().collect();
        let run = NewRun { attributes, ..new_run(end) };
        run_ids.push(run.run_id);
        t.start_all(vec![run]).await;
    }
    let note = || filter::attribute("note");
    assert_eq!(found(&t, &note().equals(long("b"))).await, run_ids[1..]);
    assert_eq!(found(&t, &note().above(long("a"))).await, run_ids[1..]);
    assert_eq!(found(&t, &note().below(long("b"))).await, run_ids[..1]);
    assert_eq!(found(&t, &note().starts_with(long("a"))).await, run_ids[..1]);
    assert_eq!(found(&t, &note().starts_with(long(""))).await.len(), 2);
    assert_eq!(found(&t, &note().at_most(long(""))).await, []);
    assert_eq!(found(&t, &note().above("\0")).await.len(), 2);
    assert_eq!(found(&t, &note().equals("\0")).await, []);
}

async fn a_run_is_where_it_is_since_its_last_step(t: StoreUnderTest) {
    let worker = t.worker().await;
    let minute = Duration::from_secs(60);
    let started = t.store.now().await.expect("the clock can be read");
    let run_id = t.start_owned("a", worker).await;
    let since = async || t.record(run_id).await.since();
    assert_eq!(since().await, started);
    t.clock.advance(Duration::from_secs(1));
    t.commit(worker, keep(run_id, 0, "one")).await;
    assert_eq!(since().await, started + Duration::from_secs(1));
    t.clock.advance(Duration::from_secs(1));
    t.commit(worker, park(run_id, 1, None, 0)).await;
    assert_eq!(since().await, started + Duration::from_secs(2));
    t.clock.advance(minute);
    let long = filter::since().below(FilterTime::ago(minute));
    assert_eq!(found(&t, &long).await, []);
    let at_least = filter::since().at_most(FilterTime::ago(minute));
    assert_eq!(found(&t, &at_least).await, [run_id]);
    assert_eq!(found_by(&t, "since <= now() - interval '60 seconds'").await, [run_id]);
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_eq!(since().await, started + Duration::from_secs(2) + minute);
}

async fn runs_are_found_by_their_own_workflow_ids(t: StoreUnderTest) {
    let worker = t.worker().await;
    let own = RunId::new();
    let run = NewRun { run_id: own, owner: Some(worker), ..new_run(&own.to_string()) };
    t.start_all(vec![run]).await;
    let other = t.start_owned("b", worker).await;
    let named = |name: &str| filter::workflow_id().equals(name);
    assert_eq!(found(&t, &named(&own.to_string())).await, [own]);
    assert_eq!(found(&t, &!named(&own.to_string())).await, [other]);
    assert_eq!(found(&t, &named("b")).await, [other]);
    assert_eq!(found(&t, &filter::workflow_id().starts_with(&own.to_string()[..9])).await, [own]);
    t.commit(worker, close(own, 0)).await;
    assert_eq!(found(&t, &named(&own.to_string())).await, [own]);
    assert_eq!(found(&t, &filter::run_id().one_of([own, RunId::new()])).await, [own]);
}

/// Five runs, a second apart: two with due times, one blocked, one closed, one owned by a worker.
async fn start_some(t: &StoreUnderTest) -> Vec<RunId> {
    let worker = t.worker().await;
    let now = t.store.now().await.expect("the clock can be read");
    let mut run_ids = Vec::new();
    for (index, id) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        t.clock.advance(Duration::from_secs(1));
        let run_id = t.start_owned(id, worker).await;
        let due_at = now + Duration::from_secs(100 - index as u64);
        match id {
            "a" | "b" => _ = t.commit(worker, park(run_id, 0, Some(due_at), 0)).await,
            "c" => _ = t.commit(worker, block(run_id, 0)).await,
            "d" => _ = t.commit(worker, close(run_id, 0)).await,
            _ => {}
        }
        run_ids.push(run_id);
    }
    run_ids
}

async fn the_names_of_attributes_are_listed(t: StoreUnderTest) {
    let names = async |limit| {
        let names = t.other.list_attribute_names(limit).await;
        names.expect("the names of attributes can be listed")
    };
    assert_eq!(names(10).await, [] as [String; 0]);
    let also = [("Zone", 7), ("cents", 8), ("most", 9)];
    let also = also.map(|(name, value)| (name.to_owned(), AttributeValue::Integer(value))).into();
    let runs = [("one", values()), ("other", values()), ("third", also)];
    let runs = runs.map(|(id, attributes)| NewRun { attributes, ..new_run(id) });
    t.start_all(runs.into()).await;
    let mut expected: Vec<_> = values().into_keys().chain(["Zone".to_owned()]).collect();
    expected.sort_unstable();
    assert_eq!(names(100).await, expected);
    assert_eq!(names(3).await, expected[..3]);
}

async fn lists_are_in_the_order_asked_for(t: StoreUnderTest) {
    start_some(&t).await;
    let all = Filter::all();
    let mut orders = Vec::new();
    for by in [
        OrderBy::RunId,
        OrderBy::StartedAt,
        OrderBy::ClosedAt,
        OrderBy::DueAt,
        OrderBy::BlockedAt,
        OrderBy::Since,
    ] {
        orders.extend([RunOrder::ascending(by), RunOrder::descending(by)]);
    }
    for order in orders {
        let query = RunQuery { order, ..RunQuery::of(&all) };
        let whole = t.store.list_runs(query).await.expect("runs can be listed");
        assert_eq!(whole.len(), 5);
        assert!(whole.is_sorted_by(|one, other| order.compare(one, other).is_lt()), "{order}");
        // And again in pages of two.
        let mut paged: Vec<RunId> = Vec::new();
        let mut query = RunQuery { limit: 2, ..query };
        loop {
            let page = t.store.list_runs(query).await.expect("runs can be listed");
            let Some(last) = page.last() else { break };
            query.after = Some(order.behind(last));
            paged.extend(page.iter().map(|run| run.run_id));
        }
        assert_eq!(paged, whole.iter().map(|run| run.run_id).collect::<Vec<_>>(), "{order}");
    }
}

async fn pages_do_not_shift_when_runs_are_started(t: StoreUnderTest) {
    let run_ids = start_some(&t).await;
    let all = Filter::all();
    for order in [RunOrder::default(), RunOrder::descending(OrderBy::StartedAt)] {
        let mut query = RunQuery { order, limit: 2, ..RunQuery::of(&all) };
        let page = t.store.list_runs(query).await.expect("runs can be listed");
        query.after = page.last().map(|last| order.behind(last));
        t.clock.advance(Duration::from_secs(1));
        let newer = t.start(&order.to_string()).await;
        let next = t.store.list_runs(query).await.expect("runs can be listed");
        let seen: Vec<_> = page.iter().chain(&next).map(|run| run.run_id).collect();
        assert!(!seen.contains(&newer));
        assert_eq!(seen.len(), 4);
        let older = |run_id: &&RunId| run_ids.contains(run_id);
        assert!(seen.iter().filter(older).count() >= 3, "{order}");
    }
}

async fn counts_go_by_each_column(t: StoreUnderTest) {
    let run_ids = start_some(&t).await;
    let count = async |column| {
        let counts = t.store.count_runs(&Filter::all(), Some(column)).await;
        let counts = counts.expect("runs can be counted");
        counts.into_iter().map(|count| (count.key, count.runs)).collect::<Vec<_>>()
    };
    let some = |key: &str| Some(key.to_owned());
    assert_eq!(count(Column::WorkflowId).await.len(), 5);
    let mut ids: Vec<_> = run_ids.iter().map(|run_id| Some(run_id.to_string())).collect();
    ids.sort_unstable();
    assert_eq!(count(Column::RunId).await.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), ids);
    assert_eq!(count(Column::BlockedKind).await, [(None, 4), (some("panicked"), 1)]);
    assert_eq!(
        count(Column::Status).await,
        [(some("blocked"), 1), (some("completed"), 1), (some("running"), 3)]
    );
    assert_eq!(count(Column::Definition).await, [(some("0000000000000001"), 5)]);
    let day = t.store.now().await.expect("the clock can be read").to_string()[..10].to_owned();
    assert_eq!(count(Column::ClosedAt).await, [(None, 4), (Some(day.clone()), 1)]);
    assert_eq!(count(Column::StartedAt).await, [(Some(day), 5)]);
    let none = filter::status().equals(RunStatus::Failed);
    let counts = t.store.count_runs(&none, Some(Column::State)).await;
    assert_eq!(counts.expect("runs can be counted"), []);
}
