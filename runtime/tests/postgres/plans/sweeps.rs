//! How Postgres carries out the statements that look for some of many rows: lists, counts, changes of many runs, sweeps,
//! retention, schedules, promises and children. Each of them finds its rows by an index, or reads one in its order up to a
//! limit.

use std::collections::BTreeSet;
use std::time::Duration;

use piton::filter::{self, Filter};
use piton::model::{
    OnTimeout, Payload, PromiseKey, PromiseOutcome, PromiseScope, PromiseToken, RunId, RunStatus,
    Terms, Timestamp,
};
use piton::store::{
    ChangeRun, ClaimSchedules, ClosedPart, CompletePromise, NewAuditEntry, NewRun, NewSchedule,
    PromiseFilter, RemoveClosed, RemovePromises, RunChange, RunQuery, Store, StripClosed,
};
use piton_postgres_cluster::Cluster;
use sqlx::{Connection as _, PgConnection};

use super::{SETTINGS, plan, sent_about, start_many, worker};
use crate::fixture::{new_run, open};

/// Tables that may hold any number of rows, and of which some are looked for.
const TABLES: [&str; 16] = [
    "piton_runs",
    "piton_chains",
    "piton_terms",
    "piton_pauses",
    "piton_children",
    "piton_child_waits",
    "piton_inbox",
    "piton_arrival_keys",
    "piton_update_replies",
    "piton_outbox",
    "piton_promises",
    "piton_promise_waits",
    "piton_activities",
    "piton_history",
    "piton_schedules",
    "piton_schedule_log",
];

/// Partial indexes with entries only for runs that somebody has to look at, which may be read as a whole.
const OF_FEW: [&str; 4] =
    ["piton_runs_blocked", "piton_runs_paused", "piton_runs_adoptable", "piton_runs_unsuccessful"];

/// Rows of each kind: enough that reading all of them costs more than an index.
const ROWS: usize = 1_000;

async fn fill(store: &dyn Store) -> Vec<RunId> {
    let owner = worker(store).await;
    let now = store.now().await.expect("it has a clock");
    let open = start_many(store, owner, ROWS).await;
    let closed = start_many(store, owner, ROWS).await;
    for run_id in &closed {
        store.terminate_run(*run_id, "enough").await.expect("it is open");
    }
    let run_timeout = Some(Duration::from_secs(3_600));
    let timed = (0..ROWS).map(|_| {
        let terms = Terms { run_timeout, on_timeout: OnTimeout::Cancel, ..Terms::default() };
        NewRun { terms: Some(Box::new(terms.begin(now))), ..new_run(Some(owner)) }
    });
    store.start_runs(timed.collect()).await.expect("they can be started");
    for number in 0..ROWS {
        let completion = CompletePromise {
            token: PromiseToken::shared(format!("rate-{number}")),
            outcome: PromiseOutcome::Resolved(Payload(vec![1])),
            completion: RunId::new().as_uuid(),
        };
        store.complete_promises(vec![completion]).await.expect("it is open");
    }
    for number in 0..ROWS {
        let schedule = NewSchedule {
            id: format!("schedule-{number}"),
            token: RunId::new().as_uuid(),
            workflow: "order".into(),
            arguments: Payload::default(),
            config: "{}".into(),
            state: "{}".into(),
            due_at: Some(now + Duration::from_secs(number as u64)),
            log: Vec::new(),
        };
        store.create_schedule(schedule).await.expect("its id is free");
    }
    open
}

/// Has the store look for some of the rows in every way.
async fn look(store: &dyn Store, open: &[RunId]) -> piton::Result<()> {
    let age = Duration::from_secs(3_600);
    let filters: [Filter; 7] = [
        filter::status().equals(RunStatus::Failed),
        filter::status().equals(RunStatus::Blocked),
        filter::status().equals(RunStatus::Paused),
        filter::workflow_id().equals(open[0].to_string()),
        filter::run_id().equals(open[0]),
        filter::attribute("customer").equals("Ann"),
        filter::attribute("cents").equals(7),
    ];
    for filter in &filters {
        store.list_runs(RunQuery { limit: 10, ..RunQuery::of(filter) }).await?;
        store.count_runs(filter, None).await?;
    }
    // In the order of the run ids, up to the limit.
    store.list_runs(RunQuery { limit: 10, ..RunQuery::of(&Filter::all()) }).await?;
    for change in [RunChange::Pause, RunChange::Resume, RunChange::Unblock] {
        let audit = NewAuditEntry {
            who: "ann".to_owned(),
            action: "change".to_owned(),
            reason: String::new(),
            details: None,
        };
        store.change_run(ChangeRun { run_id: open[0], change, audit }).await?;
    }
    store.unblock_runs(&["order"], None).await?;
    store.unblock_runs(&["order"], Some(open[0])).await?;
    store.fence_expired_workers().await?;

    store.find_expired(None, 10).await?;
    store.find_expired(Some((Timestamp(1), open[0])), 10).await?;
    store.find_terms(open[0]).await?;
    store.defer_deadline(open[0], Timestamp(1), Timestamp(2)).await?;

    store.closed_workflows().await?;
    for part in ClosedPart::ALL {
        let request = StripClosed { part, workflow: "order", age, after: None, limit: 10 };
        store.strip_closed(request).await?;
    }
    let after = None;
    store.remove_closed(RemoveClosed { workflow: "order", age, after, limit: 10 }).await?;
    let request = RemoveClosed { workflow: "order", age: Duration::ZERO, after, limit: 10 };
    store.remove_closed(request).await?;

    store.settle_promises(10).await?;
    store.remove_shared_promises(RemovePromises { age, after: None, limit: 10 }).await?;
    let key = PromiseKey { scope: PromiseScope::Shared, name: "rate-1".to_owned() };
    store.find_promise(&key).await?;
    let of_run = PromiseFilter { run_id: Some(open[0]), ..PromiseFilter::default() };
    store.list_promises(&of_run, None, 10).await?;
    store.list_promises(&of_run, Some(&key), 10).await?;

    let workflows = &["order"][..];
    store.claim_schedules(ClaimSchedules { workflows, limit: 10, hold: age }).await?;
    store.find_schedule("schedule-1").await?;
    store.list_schedules(None, Some("schedule-1"), 10).await?;
    store.list_schedule_log("schedule-1", None, 10).await?;
    store.list_schedule_log("schedule-1", Some(5), 10).await?;
    store.delete_schedule("schedule-2").await?;

    store.find_kin(open[0]).await?;
    store.find_last_runs(&open[..2]).await?;
    store.list_chain(open[0], None, 10).await?;
    store.list_children(open[0], None, 10).await?;
    store.list_children(open[0], Some(open[1]), 10).await?;
    Ok(())
}

/// The tables of which a plan reads more than the rows that are looked for.
fn read_whole(plan: &[String]) -> Vec<&str> {
    let is_limited = plan[0].starts_with("Limit")
        && !plan.iter().any(|line| line.contains("Sort") || line.contains("Aggregate"));
    let scans = plan.iter().enumerate().filter_map(|(at, line)| {
        let (_, scanned) = line.split_once("Scan ")?;
        let (_, table) = scanned.split_once("on ")?;
        let table = table.split_whitespace().next()?;
        let looks_up = plan.get(at + 1).is_some_and(|next| next.contains("Index Cond"));
        let reads_in_order = is_limited && scanned.contains("using ");
        let reads_few = OF_FEW.iter().any(|index| scanned.contains(&format!("using {index} ")));
        let is_whole = !looks_up && !reads_in_order && !reads_few;
        (TABLES.contains(&table) && is_whole).then_some(table)
    });
    scans.collect()
}

pub(crate) async fn rows_that_are_looked_for_are_found_by_an_index(_: String) {
    let cluster = Cluster::start_with(SETTINGS, &[]).expect("there is another");
    find_by_index(&cluster).await.expect("the server is there");
}

async fn find_by_index(cluster: &Cluster) -> piton::Result<()> {
    let url = cluster.new_database().await?;
    let store = open(&url).await;
    let mut connection = PgConnection::connect(&url).await?;
    let open = fill(&*store).await;
    let before: BTreeSet<String> = sent_about(cluster, &TABLES);
    sqlx::raw_sql("ANALYZE").execute(&mut connection).await?;
    look(&*store, &open).await?;
    let mut statements = sent_about(cluster, &TABLES);
    statements.retain(|sql| !before.contains(sql));
    assert!(statements.len() > 30, "{statements:#?}");
    let mut wrong = String::new();
    for sql in &statements {
        let plan = plan(&mut connection, sql).await?;
        let whole = read_whole(&plan);
        if !whole.is_empty() {
            wrong.push_str(&format!("{whole:?}\n{sql}\n{}\n\n", plan.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    store.close().await;
    Ok(())
}
