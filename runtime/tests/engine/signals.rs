//! Signals, timers and parking.

use std::time::Duration;

use piton::error::{SignalError, StartError};
use piton::model::hours;
use piton::prelude::*;
use piton::store::{ArrivalKind, DeadLetterFilter, DeadLetterReason, RunKey};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::{
    approval, both_within, chain, collect, long_wait, naps, patient, sleeps_until,
};

fn by(name: &str) -> Approve {
    Approve { by: name.to_owned() }
}

#[tokio::test(start_paused = true)]
async fn a_signal_wins_over_a_timer() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approval(10)).await.unwrap();
    rig.until(&run, |record| record.owner.is_some()).await;
    run.signal(by("ada")).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "ada");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timer_wins_over_a_signal() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(approval(10)).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "nobody approved");
    let waited = began.elapsed();
    assert!((10.0..10.01).contains(&waited.as_secs_f64()), "{waited:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_sent_before_it_is_awaited_is_kept() {
    let rig = Rig::new();
    let run = rig.client.start(approval(10)).await.unwrap();
    run.signal(by("early")).await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "early");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_over_has_the_signals_that_it_never_took() {
    let rig = Rig::new();
    let run = rig.client.start(approval(10)).await.unwrap();
    for name in ["ada", "bob", "cid"] {
        run.signal(by(name)).await.unwrap();
    }
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "ada");
    worker.shutdown().await.unwrap();
    let seen = rig.client.inspect(run.run_id()).await.unwrap();
    let unread = seen.unread.iter().map(|signal| (&*signal.signal, signal.value.value.clone()));
    let expected = ["bob", "cid"].map(|name| ("Approve", json!({ "by": name })));
    assert_eq!((unread.collect::<Vec<_>>(), seen.unread_count), (expected.to_vec(), 2));
}

#[tokio::test(start_paused = true)]
async fn signals_come_in_order_and_share_commits() {
    let rig = Rig::new();
    let run = rig.client.start(collect(1_000)).await.unwrap();
    let names: Vec<_> = (0..1_000).map(|n| format!("n{n}")).collect();
    for name in &names {
        run.signal(by(name)).await.unwrap();
    }
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), names);
    let steps = rig.store.counts().step_updates;
    assert!(steps < 40, "a thousand signals took {steps} commits");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_a_signal_is_parked_and_woken() {
    let rig = Rig::new();
    let worker = rig.worker().poll_interval(hours(1)).start().await.unwrap();
    let run = rig.client.start(collect(3)).await.unwrap();
    for name in ["a", "b", "c"] {
        let parked = rig.until_parked(&run).await;
        assert_eq!((parked.state.as_str(), parked.due_at), ("signal<Approve>", None));
        run.signal(by(name)).await.unwrap();
        rig.until(&run, |record| record.step_no > parked.step_no).await;
    }
    assert_eq!(run.result().await.unwrap(), ["a", "b", "c"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dedup_key_counts_once() {
    let rig = Rig::new();
    let run = rig.client.start(collect(2)).await.unwrap();
    for _ in 0..3 {
        run.signal(by("once")).dedup_key("the same").await.unwrap();
    }
    run.signal(by("other")).dedup_key("another").await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["once", "other"]);
    // The key stays known, even when the run is closed.
    run.signal(by("once")).dedup_key("the same").await.unwrap();
    let error = run.cancel("enough").dedup_key("the same").await.unwrap_err();
    let expected = format!(
        "the run {} has accepted the signal `{}` with the dedup key `the same`, so a request to cancel needs another \
         key",
        run.run_id(),
        <Approve as piton::machine::Signal>::NAME
    );
    assert_eq!(error.to_string(), expected);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn closed_and_unknown_runs_take_no_signals() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(chain(0)).id("done").await.unwrap();
    run.result().await.unwrap();
    let unheard = run.signal(by("late")).await.unwrap_err();
    assert!(matches!(unheard, SignalError::NotAwaited { .. }), "`chain` waits for none");
    let listener = rig.client.start(collect(0)).await.unwrap();
    listener.result().await.unwrap();
    let refused = listener.signal(by("late")).await.unwrap_err();
    assert!(matches!(refused, SignalError::Closed { run_id } if run_id == listener.run_id()));
    // A handle of another database: its run is not in this one.
    let elsewhere = Rig::new().client.start(collect(1)).await.unwrap();
    let unknown = rig.client.find(elsewhere.run_id()).await.unwrap();
    assert!(unknown.is_none());
    assert!(rig.client.run::<collect>("done").await.is_err(), "it is a run of `chain`");
    assert!(rig.client.run::<chain>("done").await.is_ok());
    assert!(rig.client.run::<chain>("never").await.is_err());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_sleep_is_parked_and_fires_on_time() {
    let rig = Rig::new();
    // Long enough that no poll coincides with the due time.
    let worker = rig.worker().poll_interval(seconds(7)).start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(long_wait()).await.unwrap();
    let parked = rig.until_parked(&run).await;
    assert!(parked.due_at.is_some());
    assert_eq!(run.result().await.unwrap(), "woken");
    let late = began.elapsed() - hours(5);
    assert!(late < Duration::from_millis(10), "{late:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sleep_continues_after_a_restart() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(approval(30)).await.unwrap();
    rig.until(&run, |record| record.owner.is_some()).await;
    worker.shutdown().await.unwrap();
    tokio::time::sleep(Duration::from_secs(20)).await;
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "nobody approved");
    let waited = began.elapsed();
    assert!((30.0..30.01).contains(&waited.as_secs_f64()), "{waited:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_clock_set_back_delays_no_timer() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(naps(1, 30_000)).await.unwrap();
    rig.until(&run, |record| record.owner.is_some()).await;
    // By the database's clock, the timer now has one more hour to go.
    rig.store.move_clock(-3_600_000_000);
    run.result().await.unwrap();
    let waited = began.elapsed();
    // The worker may take a tenth of the wait to return to the database's time.
    assert!((30.0..33.5).contains(&waited.as_secs_f64()), "{waited:?}");
    // A timer that starts after that, with the run parked.
    let began = Instant::now();
    let run = rig.client.start(naps(1, 300_000)).await.unwrap();
    rig.until_parked(&run).await;
    run.result().await.unwrap();
    let waited = began.elapsed();
    assert!((300.0..335.0).contains(&waited.as_secs_f64()), "{waited:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_started_for_later() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(chain(1)).start_delay(minutes(10)).await.unwrap();
    run.result().await.unwrap();
    let late = began.elapsed() - minutes(10);
    assert!(late < Duration::from_millis(10), "{late:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wait_with_a_limit_ends_with_it() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(patient(10)).await.unwrap();
    for name in ["a", "b", "c"] {
        tokio::time::sleep(Duration::from_secs(4)).await;
        run.signal(by(name)).await.unwrap();
    }
    assert_eq!(run.result().await.unwrap(), ["a", "b", "c"]);
    let waited = began.elapsed().as_secs_f64();
    assert!((22.0..22.05).contains(&waited), "{waited}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wait_with_a_limit_beside_another() {
    for (sent, expected) in [(true, Some("ada".to_owned())), (false, None)] {
        let rig = Rig::new();
        let worker = rig.worker().park_after(Duration::from_secs(1)).start().await.unwrap();
        let began = Instant::now();
        let run = rig.client.start(both_within()).await.unwrap();
        rig.until_parked(&run).await;
        if sent {
            run.signal(by("ada")).await.unwrap();
        }
        assert_eq!(run.result().await.unwrap(), (expected, false));
        assert_eq!(began.elapsed().as_secs(), 8);
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_signal_may_come_as_json() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(collect(3)).id("jsons").await.unwrap();
    let json = |name: &str| serde_json::json!({ "by": name });
    rig.client.signal_json("jsons", "Approve", &json("a")).await.unwrap();
    let again = rig.client.signal_json(run.run_id(), "Approve", &json("b"));
    again.dedup_key("b").await.unwrap();
    rig.client.signal_json("jsons", "Approve", &json("b")).dedup_key("b").await.unwrap();
    run.signal(by("c")).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["a", "b", "c"]);
    let nobody = rig.client.signal_json("nobody", "Approve", &json("a")).await.unwrap_err();
    assert!(matches!(nobody, SignalError::NoRun(_)), "{nobody}");
    worker.shutdown().await.unwrap();
}

#[derive(Signal, Serialize, Deserialize)]
struct Note {
    #[serde(alias = "body")]
    text: String,
    #[serde(default)]
    is_urgent: bool,
}

#[workflow]
async fn takes_notes(cx: &Context) -> Vec<(String, bool)> {
    let mut notes = Vec::new();
    for _ in 0..3 {
        let Note { text, is_urgent } = cx.signal::<Note>().await;
        notes.push((text, is_urgent));
    }
    notes
}

/// The code of the type knows what serde's attributes say.
#[tokio::test(start_paused = true)]
async fn a_signal_as_json_is_judged_by_the_code_of_its_type() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(takes_notes()).id("notes").await.unwrap();
    for refused in [json!({ "text": 7 }), json!({ "is_urgent": true }), json!(null)] {
        let refused = rig.client.signal_json("notes", "Note", &refused).await.unwrap_err();
        assert!(matches!(refused, SignalError::Unfit { .. }), "{refused}");
    }
    let more = json!({ "text": "c", "is_urgent": true, "by": "ada" });
    for taken in [json!({ "text": "a" }), json!({ "body": "b" }), more] {
        rig.client.by_id("notes").signal("Note", &taken).await.unwrap();
    }
    let notes = [("a", false), ("b", false), ("c", true)];
    assert_eq!(
        run.result().await.unwrap(),
        notes.map(|(text, is_urgent)| (text.into(), is_urgent))
    );
    worker.shutdown().await.unwrap();
}

/// Nothing is written, by whichever name of the run, unless the caller says that it may be.
#[tokio::test(start_paused = true)]
async fn a_signal_as_json_that_does_not_fit_is_refused() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(collect(1)).id("refuses").await.unwrap();
    rig.until_parked(&run).await;
    for key in [RunKey::from("refuses"), RunKey::from(run.run_id())] {
        let send = |name: &str, value| rig.client.signal_json(key.clone(), name, &value);
        let unfit = send("Approve", json!({ "by": 7 })).await.unwrap_err().to_string();
        assert!(unfit.contains("`by`: expected a text, found integer `7`"), "{unfit}");
        let nested = send("Approve", json!({ "by": { "name": "a" } })).await.unwrap_err();
        assert!(matches!(nested, SignalError::Unfit { .. }), "{nested}");
        let lacking = send("Approve", json!({})).await.unwrap_err().to_string();
        assert!(lacking.contains("`by`: it is missing"), "{lacking}");
        let unknown = send("Aprove", json!({ "by": "a" })).await.unwrap_err();
        let SignalError::NotAwaited { awaited, .. } = unknown else { panic!("{unknown}") };
        assert_eq!(awaited, ["Approve"]);
    }
    let details = rig.client.store().find_details(run.run_id()).await.unwrap().unwrap();
    assert_eq!(details.unread.len(), 0, "{:?}", details.unread);
    rig.client.signal_json("refuses", "ToCome", &json!(1)).unchecked().await.unwrap();
    let details = rig.client.store().find_details(run.run_id()).await.unwrap().unwrap();
    assert_eq!(details.unread.len(), 1);
    rig.client.signal_json("refuses", "Approve", &json!({ "by": "a" })).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["a"]);
    worker.shutdown().await.unwrap();
}

/// The run takes the following signals and continues, and the errors can be read.
#[tokio::test(start_paused = true)]
async fn signals_that_cannot_be_read_become_dead_letters() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(collect(2)).id("odd").await.unwrap();
    for value in [json!({ "by": 7 }), json!({ "by": "a" }), json!(null), json!({ "by": "b" })] {
        rig.client.signal_json("odd", "Approve", &value).unchecked().await.unwrap();
    }
    assert_eq!(run.result().await.unwrap(), ["a", "b"]);
    let filter = DeadLetterFilter { run_id: Some(run.run_id()), ..DeadLetterFilter::default() };
    let letters = rig.client.dead_letters(&filter, 10).await.unwrap();
    assert_eq!(letters.len(), 2);
    for letter in &letters {
        assert_eq!(letter.workflow_id, "odd");
        assert!(matches!(&letter.arrival, ArrivalKind::Signal { name, .. } if name == "Approve"));
        let DeadLetterReason::Unreadable(why) = &letter.reason else { panic!("{letter:?}") };
        assert!(why.contains("Approve"), "{why}");
    }
    worker.shutdown().await.unwrap();
}

/// A wait with a time limit continues until the limit, and a parked run stays parked.
#[tokio::test(start_paused = true)]
async fn a_signal_that_cannot_be_read_ends_no_wait() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(patient(2)).id("odd").await.unwrap();
    rig.client.signal_json("odd", "Approve", &json!([1])).unchecked().await.unwrap();
    run.result().await.unwrap();
    assert!(began.elapsed() > seconds(1), "{:?}", began.elapsed());
    let run = rig.client.start(collect(1)).id("parked").await.unwrap();
    let parked = rig.until_parked(&run).await;
    rig.client.signal_json("parked", "Approve", &json!([1])).unchecked().await.unwrap();
    let again = rig.until(&run, |record| record.step_no > parked.step_no).await;
    assert_eq!(again.state, parked.state);
    rig.until_parked(&run).await;
    run.signal(by("a")).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["a"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_starts_the_run_that_is_not_there() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let first = rig.client.signal_or_start(by("a"), collect(2)).id("cart").await.unwrap();
    let second = rig.client.signal_or_start(by("b"), collect(2)).id("cart").await.unwrap();
    assert_eq!(first.run_id(), second.run_id());
    assert_eq!(second.result().await.unwrap(), ["a", "b"]);
    // The run has closed: the next signal starts another one.
    let third = rig.client.signal_or_start(by("c"), collect(1)).id("cart").await.unwrap();
    assert_ne!(first.run_id(), third.run_id());
    assert_eq!(third.result().await.unwrap(), ["c"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn many_that_signal_or_start_share_a_run() {
    let rig = Rig::new();
    let worker = rig.remote_worker().start().await.unwrap();
    let sends = (0..50).map(|n| {
        let client = rig.client.clone();
        tokio::spawn(async move {
            let send = client.signal_or_start(by(&n.to_string()), collect(51)).id("shared");
            send.dedup_key(format!("key {n}")).await.unwrap().run_id()
        })
    });
    let mut runs = Vec::new();
    for send in sends.collect::<Vec<_>>() {
        runs.push(send.await.unwrap());
    }
    assert!(runs.iter().all(|run_id| *run_id == runs[0]));
    // Each key counts once.
    let again = rig.client.signal_or_start(by("0"), collect(51)).id("shared");
    let run = again.dedup_key("key 0").await.unwrap();
    run.signal(by("50")).await.unwrap();
    let mut names = run.result().await.unwrap();
    names.sort_by_key(|name| name.parse::<u32>().unwrap());
    assert_eq!(names, (0..51).map(|n| n.to_string()).collect::<Vec<_>>());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_of_another_workflow_is_not_signalled() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.start(approval(1_000)).id("taken").await.unwrap();
    let refused = rig.client.signal_or_start(by("a"), collect(1)).id("taken").await.unwrap_err();
    assert!(matches!(refused, StartError::AlreadyStarted { .. }), "{refused}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn times_that_have_passed_return_at_once_and_years_do_not() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let now = piton::store::Store::now(&*rig.store).await.unwrap();
    for past in [Timestamp(0), Timestamp::MIN, now] {
        let run = rig.client.start(sleeps_until(past)).await.unwrap();
        run.result().await.unwrap();
    }
    assert!(began.elapsed() < Duration::from_millis(50), "{:?}", began.elapsed());
    let years = now + Duration::from_secs(30 * 365 * 86_400);
    let run = rig.client.start(sleeps_until(years)).await.unwrap();
    assert_eq!(rig.until_parked(&run).await.due_at, Some(years));
    // Beyond the range of any calendar.
    let run = rig.client.start(naps(1, u64::MAX)).await.unwrap();
    rig.until_parked(&run).await;
    worker.shutdown().await.unwrap();
}

/// Takes its signal in other forms than a plain await.
#[workflow]
async fn takes_in_other_ways(cx: &Context, way: u32) -> Option<String> {
    match way {
        0 => {
            let wait = cx.spawn(cx.signal::<Nod>());
            Some(wait.await.by)
        }
        1 => cx.timeout(hours(1), cx.signal::<Beck>()).await.ok().map(|beck| beck.by),
        2 => Some(nested().await),
        _ => None,
    }
}

#[workflow]
async fn nested(cx: &Context) -> String {
    select! {
        wave = cx.signal::<Wave>() => wave.by,
        () = cx.sleep(hours(1)) => String::new(),
    }
}

#[derive(Signal, Serialize, Deserialize)]
struct Nod {
    by: String,
}

#[derive(Signal, Serialize, Deserialize)]
struct Beck {
    by: String,
}

#[derive(Signal, Serialize, Deserialize)]
struct Wave {
    by: String,
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_the_workflow_never_waits_for_is_refused() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(takes_in_other_ways(0)).id("ways").await.unwrap();
    let refused = run.signal(by("ada")).await.unwrap_err();
    let text = "the workflow `takes_in_other_ways` never waits for the signal `Approve`; \
        it waits for: `Beck`, `Nod`, `Wave`";
    assert_eq!(refused.to_string(), text);
    let start = rig.client.signal_or_start(by("ada"), takes_in_other_ways(0)).id("new");
    let refused = start.await.unwrap_err();
    assert!(matches!(&refused, StartError::Signal(SignalError::NotAwaited { .. })), "{refused:?}");
    assert!(rig.client.find(RunKey::WorkflowId("new".into())).await.unwrap().is_none());
    // The run has received none of it.
    run.signal(Nod { by: "ada".to_owned() }).await.unwrap();
    assert_eq!(run.result().await.unwrap().as_deref(), Some("ada"));
    let run = rig.client.start(takes_in_other_ways(1)).await.unwrap();
    run.signal(Beck { by: "bob".to_owned() }).await.unwrap();
    assert_eq!(run.result().await.unwrap().as_deref(), Some("bob"));
    let run = rig.client.start(takes_in_other_ways(2)).await.unwrap();
    run.signal(Wave { by: "cyd".to_owned() }).await.unwrap();
    assert_eq!(run.result().await.unwrap().as_deref(), Some("cyd"));
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn prepares(cx: &Context) -> Result<String, String> {
    cx.sleep(seconds(5)).await;
    cx.continue_as_new(approval(60))
}

/// A signal that no workflow awaits.
#[derive(Signal, Serialize, Deserialize)]
struct Unheard;

#[tokio::test(start_paused = true)]
async fn a_signal_may_be_for_the_workflow_that_the_run_continues_as() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(prepares()).await.unwrap();
    run.signal(by("ada")).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "ada");
    let start = rig.client.signal_or_start(by("bob"), prepares()).id("next");
    assert_eq!(start.await.unwrap().result().await.unwrap(), "bob");
    // By its id, the run that it continues as is found as well.
    let run = rig.client.start(prepares()).id("third").await.unwrap();
    tokio::time::sleep(seconds(6)).await;
    let found = rig.client.run::<prepares>("third").await.unwrap();
    assert_ne!(found.run_id(), run.run_id());
    let same = rig.client.start(prepares()).id("third").on_conflict(OnConflict::UseExisting);
    assert_eq!(same.await.unwrap().run_id(), found.run_id());
    let start = rig.client.signal_or_start(by("cyd"), prepares()).id("third");
    assert_eq!(start.await.unwrap().result().await.unwrap(), "cyd");
    assert_eq!(run.result().await.unwrap(), "cyd");
    let run = rig.client.start(prepares()).await.unwrap();
    let refused = run.signal(Unheard).await.unwrap_err();
    assert!(matches!(refused, SignalError::NotAwaited { .. }), "{refused:?}");
    worker.shutdown().await.unwrap();
}
