//! Creating, changing, triggering, backfilling and deleting schedules.

use piton::client::{LogKind, Overlap, ScheduleFilter};
use piton::error::ScheduleError;
use piton::model::Timestamp;
use piton::schedule::{Calendar, Spec};
use serde_json::{Value, json};

use crate::{ALL, Rig, at, job, tens};

#[tokio::test(start_paused = true)]
async fn a_description_has_the_spec_as_written_and_the_next_times() {
    let rig = Rig::new();
    let spec = Spec::new().calendar(Calendar::new().hour("9-17").day_of_week("MON-fri"));
    let schedule = rig.client.schedule("job").create(spec.clone(), job(1)).await.unwrap();
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.spec.clone(), described.revision), (spec.clone(), 0));
    assert_eq!(described.canonical, spec.canonical().unwrap());
    // 2026-01-01 is a Thursday.
    assert_eq!(described.next[..2], [at(9 * 3_600), at(10 * 3_600)]);
    assert_eq!(described.next.len(), 10);
    assert_eq!((described.workflow.as_deref(), described.overlap), (Some("job"), Overlap::Skip));
    let arguments = rig.client.payload_json(&described.arguments).await.unwrap();
    assert_eq!(arguments, json!([1]));
    let all = ScheduleFilter::new();
    assert_eq!(rig.client.list_schedules(&all, None, 10).await.unwrap(), [described]);
    assert_eq!(rig.client.count_schedules(&all.workflow("job")).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_carried_out_is_refused() {
    let rig = Rig::new();
    let create = |spec: Spec| rig.client.schedule("job").create(spec, job(1));
    let refused = create(Spec::new().cron("0 0 31 2 *")).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::Spec(_)), "{refused}");
    let refused = create(Spec::new().cron("0 0 1 1 * 2020")).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::Over), "{refused}");
    let refused = create(tens(60)).workflow_id("").await.unwrap_err();
    assert!(matches!(refused, ScheduleError::WorkflowId(_)), "{refused}");
    assert!(refused.to_string().contains("it is empty"), "{refused}");
    let misspelt = "bill-{tmie}";
    let refused = create(tens(60)).workflow_id(misspelt).await.unwrap_err();
    let expected = "the workflow id of the schedule's runs has the unknown placeholder `{tmie}`, did you mean `{time}`?; \
                    the known ones are `{schedule}` and `{time}`";
    assert_eq!(refused.to_string(), expected);
    let refused = rig.client.schedule("").create(tens(60), job(1)).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::Id(_)), "{refused}");
    create(tens(60)).await.unwrap();
    let refused = create(tens(60)).await.unwrap_err();
    assert!(matches!(&refused, ScheduleError::Exists { id } if id == "job"), "{refused}");
    let update = rig.client.schedule("job").update().workflow_id("{id}");
    let refused = update.await.unwrap_err();
    assert!(
        matches!(&refused, ScheduleError::Placeholder { found, near: None } if found == "{id}"),
        "{refused}"
    );
    let unknown = rig.client.schedule("other").pause("why").await.unwrap_err();
    assert!(matches!(&unknown, ScheduleError::Unknown { id } if id == "other"), "{unknown}");
}

#[tokio::test(start_paused = true)]
async fn an_update_of_another_revision_is_refused() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(60), job(1)).await.unwrap();
    // Pauses and the worker's writes are not changes of the configuration.
    rig.pass(15).await;
    schedule.pause("a while").await.unwrap();
    schedule.unpause("enough").await.unwrap();
    let revision = schedule.describe().await.unwrap().revision;
    assert_eq!(revision, 0);
    schedule.update().revision(revision).overlap(ALL).await.unwrap();
    let refused = schedule.update().revision(revision).spec(tens(20)).await.unwrap_err();
    let moved = matches!(refused, ScheduleError::Moved { revision: 1, expected: 0, .. });
    assert!(moved, "{refused}");
    schedule.update().spec(tens(30)).call(job(2)).await.unwrap();
    rig.pass(60).await;
    assert_eq!(rig.nominal().await, [10, 20, 30]);
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.overlap, described.revision), (ALL, 2));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn schedules_are_listed_and_counted_by_a_filter() {
    let rig = Rig::new();
    // More than are read at a time.
    for number in 0..250 {
        let schedule = rig.client.schedule(format!("{}-{number:03}", ["a", "b"][number % 2]));
        schedule.create(tens(60), job(0)).await.unwrap();
        if number % 10 == 0 {
            schedule.pause("not yet").await.unwrap();
        }
    }
    let all = ScheduleFilter::new();
    let paused = || all.clone().paused(true);
    for (filter, count) in [
        (all.clone(), 250),
        (all.clone().workflow("job"), 250),
        (all.clone().workflow("jobs"), 0),
        (all.clone().id_prefix("b-"), 125),
        (paused(), 25),
        (all.clone().paused(false), 225),
        (paused().id_prefix("a-1").workflow("job"), 10),
        (paused().id_prefix("b-"), 0),
    ] {
        let found = rig.client.list_schedules(&filter, None, 1_000).await.unwrap();
        assert_eq!(found.len(), count, "{filter:?}");
        assert_eq!(rig.client.count_schedules(&filter).await.unwrap(), count as u64, "{filter:?}");
    }
    let two = rig.client.list_schedules(&paused(), Some("a-100"), 2).await.unwrap();
    assert_eq!([&*two[0].id, &*two[1].id], ["a-110", "a-120"]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_actions_is_kept_and_counts_no_triggers() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(100), job(1)).max_actions(2).await.unwrap();
    rig.pass(35).await;
    assert_eq!(schedule.describe().await.unwrap().remaining_actions, Some(0));
    schedule.trigger().await.unwrap();
    rig.pass(35).await;
    assert_eq!(rig.nominal().await, [10, 20, 35]);
    schedule.update().max_actions(Some(1)).await.unwrap();
    rig.pass(35).await;
    assert_eq!(rig.nominal().await, [10, 20, 35, 80]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_trigger_starts_a_run_of_a_paused_schedule() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(100), job(30)).paused("not yet").await.unwrap();
    rig.pass(15).await;
    schedule.trigger().await.unwrap();
    rig.pass(1).await;
    // The first is open.
    schedule.trigger().await.unwrap();
    schedule.trigger().overlap(ALL).await.unwrap();
    rig.pass(10).await;
    assert_eq!(rig.nominal().await, [15, 16]);
    assert_eq!(schedule.describe().await.unwrap().counts.skipped, 1);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_backfill_starts_what_a_period_would_have() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(1_000), job(5)).paused("only by hand").await.unwrap();
    let backfill = schedule.backfill(at(-40), at(-20)).overlap(Overlap::BufferAll);
    assert_eq!(backfill.times(10).await.unwrap(), [at(-40), at(-30), at(-20)]);
    assert_eq!(backfill.times(2).await.unwrap(), [at(-40), at(-30)]);
    assert!(rig.runs().await.is_empty(), "nothing is started by a look");
    backfill.await.unwrap();
    rig.pass(100).await;
    let runs = rig.runs().await;
    let nominal: Vec<i64> = runs.iter().map(|(nominal, ..)| *nominal).collect();
    assert_eq!(nominal, [-40, -30, -20]);
    // One after the other.
    assert!(runs.windows(2).all(|pair| pair[1].1 - pair[0].1 >= 50), "{runs:?}");
    // Concurrently, and more times than one round takes. Runs that were started before are started again.
    schedule.backfill(at(-2_000), at(-10)).overlap(ALL).await.unwrap();
    rig.pass(10).await;
    assert_eq!(rig.runs().await.len(), 3 + 200);
    assert!(!schedule.describe().await.unwrap().is_backfilling);
    let refused = schedule.backfill(at(5), at(4)).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::Period), "{refused}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_backfill_is_bounded() {
    let rig = Rig::new();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(1_000_000), job(5)).paused("only by hand").await.unwrap();
    let future = schedule.backfill(at(-40), Timestamp(i64::MAX));
    let refused = future.times(10).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::Future { .. }), "{refused}");
    let refused = future.await.unwrap_err();
    assert!(matches!(refused, ScheduleError::Future { .. }), "{refused}");
    let now = at(0);
    schedule.backfill(now, now).await.unwrap();
    let refused = schedule.backfill(Timestamp(0), now).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::TooManyTimes { most: 10_000 }), "{refused}");
    let three = schedule.backfill(at(-40), at(-20));
    let refused = three.clone().max_runs(2).await.unwrap_err();
    assert!(matches!(refused, ScheduleError::TooManyTimes { most: 2 }), "{refused}");
    three.max_runs(3).await.unwrap();
    let log = schedule.log(None, 10).await.unwrap();
    let requested = log.iter().filter(|entry| matches!(entry.what, LogKind::Backfilled { .. }));
    assert_eq!(requested.count(), 2, "what is refused is not logged: {log:?}");
}

#[tokio::test(start_paused = true)]
async fn backfills_are_cancelled() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(1_000), job(50)).paused("only by hand").await.unwrap();
    // More times than one round takes.
    schedule.backfill(at(-5_000), at(-10)).overlap(Overlap::BufferAll).await.unwrap();
    rig.pass(60).await;
    assert_eq!(rig.runs().await.len(), 2);
    schedule.trigger().overlap(Overlap::BufferAll).await.unwrap();
    assert!(schedule.describe().await.unwrap().is_backfilling);
    schedule.cancel_backfills().await.unwrap();
    let described = schedule.describe().await.unwrap();
    assert!(!described.is_backfilling);
    let log = schedule.log(None, 1).await.unwrap();
    let LogKind::BackfillsCancelled { waiting } = log[0].what else { panic!("{log:?}") };
    assert!((90..=100).contains(&waiting), "{waiting}");
    rig.pass(500).await;
    // The triggered run was not part of it.
    assert_eq!(rig.runs().await.len(), 3);
    assert_eq!(schedule.describe().await.unwrap().counts.started, 3);
    // Another one is not hindered.
    schedule.backfill(at(-30), at(-10)).overlap(ALL).await.unwrap();
    rig.pass(10).await;
    assert_eq!(rig.runs().await.len(), 6);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_deleted_schedule_starts_nothing_and_its_id_is_free() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(100), job(1)).await.unwrap();
    rig.pass(15).await;
    assert!(schedule.delete().await.unwrap());
    assert!(!schedule.delete().await.unwrap());
    rig.pass(20).await;
    assert_eq!(rig.nominal().await, [10]);
    schedule.create(tens(100), job(1)).await.unwrap();
    rig.pass(10).await;
    assert_eq!(rig.nominal().await, [10, 40]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn arguments_may_be_json() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create_json(tens(10), "job", &json!([3])).await.unwrap();
    let named = rig.client.schedule("named");
    named.create_json(tens(10), "job", &json!({ "seconds_long": 4 })).await.unwrap();
    rig.pass(15).await;
    assert_eq!(rig.nominal().await, [10, 10]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_the_recorded_definition_is_refused() {
    let rig = Rig::new();
    let schedule = rig.client.schedule("bad");
    let create = async |workflow: &str, arguments: Value| {
        let create = schedule.create_json(tens(10), workflow, &arguments);
        create.await.unwrap_err().to_string()
    };
    let refusal = create("job", json!(["three"])).await;
    assert!(refusal.contains("the arguments do not fit `job`"), "{refusal}");
    let refusal = create("job", json!([])).await;
    assert!(refusal.contains("0 arguments are given"), "{refusal}");
    let refusal = create("job", json!({ "long": 3 })).await;
    assert!(refusal.contains("no parameter `long`"), "{refusal}");
    let refusal = create("jub", json!([3])).await;
    assert!(refusal.contains("no definition of the workflow `jub`"), "{refusal}");
    let unheard = json!({ "by": "ann" });
    let create = schedule.create_json(tens(10), "job", &json!([3])).signal_json("Nock", &unheard);
    let refusal = create.await.unwrap_err().to_string();
    assert!(refusal.contains("never waits for the signal `Nock`"), "{refusal}");
    assert!(matches!(schedule.describe().await, Err(ScheduleError::Unknown { .. })));

    schedule.create_json(tens(10), "job", &json!([3])).await.unwrap();
    let update = schedule.update().call_json("job", &json!([true]));
    let refusal = update.await.unwrap_err().to_string();
    assert!(refusal.contains("the arguments do not fit `job`"), "{refusal}");
    let update = schedule.update().signal_json("Nock", &unheard);
    let refusal = update.await.unwrap_err().to_string();
    assert!(refusal.contains("never waits for the signal `Nock`"), "{refusal}");
    schedule.update().call_json("job", &json!({ "seconds_long": 5 })).await.unwrap();
    let described = schedule.describe().await.unwrap();
    let arguments = rig.client.payload_json(&described.arguments).await.unwrap();
    assert_eq!((arguments, described.revision), (json!([5]), 1));
}

#[tokio::test(start_paused = true)]
async fn jitter_delays_a_run_by_the_same_time_on_each_look() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let spec = tens(50).jitter(std::time::Duration::from_secs(8));
    schedule.create(spec, job(0)).overlap(ALL).await.unwrap();
    let next = schedule.describe().await.unwrap().next;
    rig.pass(100).await;
    let runs = rig.runs().await;
    assert_eq!(runs.len(), 5);
    for ((nominal, started, _), due) in runs.iter().zip(next) {
        let due = due.0 - crate::BEGIN * 1_000_000;
        assert!((nominal * 10..nominal * 10 + 80).contains(started), "{runs:?}");
        assert!((0..=1).contains(&(started - due / 100_000)), "{due} {runs:?}");
    }
    worker.shutdown().await.unwrap();
}
