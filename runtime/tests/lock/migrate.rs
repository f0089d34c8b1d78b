//! States that a `#[migrate]` converts: with runs, and in the comparison.

use piton::evolution::Resume;
use piton::lock::{Level, Report, check};
use piton::machine::{Workflow as _, WorkflowEntry};
use piton::migrate;
use piton::model::Difference;
use piton::prelude::*;
use serde::Deserialize;

use crate::build::{Go, Shop, charge, released};

mod old {
    use super::*;

    #[workflow]
    pub async fn pay(cx: &Context, name: String, cents: u64) -> String {
        let total = cents * 2;
        let go = cx.signal::<Go>().await;
        format!("{name} {} {}", total + go.0, charge(1).await)
    }

    #[workflow]
    pub async fn bare() -> u64 {
        charge(1).await
    }
}

/// A workflow that had no parameters has one.
mod parameter {
    use super::*;

    #[workflow]
    pub async fn bare(tip: u64) -> u64 {
        charge(tip).await
    }
}

/// One local is renamed, one is split in two, and one is new.
mod locals {
    use super::*;

    #[workflow]
    pub async fn pay(cx: &Context, given: String, family: String, cents: u64) -> String {
        let sum = cents * 2;
        let currency = String::from("EUR");
        let go = cx.signal::<Go>().await;
        format!("{family}, {given}: {} {currency}", sum + go.0)
    }

    #[derive(Deserialize)]
    struct Old {
        name: String,
        total: u64,
    }

    #[migrate(workflow = pay, from = "signal<Go>")]
    fn migrate_go(old: Old) -> Resume<pay> {
        let (given, family) = old.name.split_once(' ').unwrap_or((&old.name, "-"));
        Resume::at(pay::SignalGo)
            .with("given", &given)
            .with("family", &family)
            .with("sum", &u32::try_from(old.total).unwrap_or(u32::MAX))
            .with("currency", &"EUR")
    }
}

/// The state is renamed.
mod state {
    use super::*;

    #[workflow]
    pub async fn pay(cx: &Context, name: String, cents: u64) -> String {
        let total = cents * 2;
        #[state("approval")]
        let go = cx.signal::<Go>().await;
        format!("{name}: {}", total + go.0)
    }

    #[derive(Deserialize)]
    struct Old {}

    #[migrate(workflow = pay, from = "signal<Go>")]
    fn migrate_go(_: Old) -> Resume<pay> {
        Resume::at(pay::Approval).keep("name").keep("total")
    }
}

/// A migration with each mistake.
macro_rules! mistakes {
    ($($name:ident $resume:expr;)*) => {
        $(mod $name {
            use super::*;

            // Only compared, never started.
            #[allow(dead_code)]
            #[workflow]
            pub async fn pay(cx: &Context, name: String, cents: u64) -> String {
                let sum = cents * 2;
                let go = cx.signal::<Go>().await;
                format!("{name}: {} {}", sum + go.0, charge(2).await)
            }

            #[derive(Deserialize)]
            #[allow(dead_code)]
            struct Old {
                total: u64,
            }

            #[migrate(workflow = pay, from = "signal<Go>")]
            fn migrate_go(old: Old) -> Resume<pay> {
                let resume: fn(Old) -> Resume<pay> = $resume;
                resume(old)
            }
        })*
    };
}

mistakes! {
    no_state |_| Resume::at_named("approve");
    other_operation |_| Resume::at_named("charge");
    too_few |_| Resume::at_named("signal<Go>").keep("name");
    too_many |old| Resume::at_named("signal<Go>").keep("name").with("sum", &old.total).keep("total");
    not_saved |_| Resume::at_named("signal<Go>").keep("name").keep("sum");
    other_type |_| Resume::at_named("signal<Go>").keep("name").with("sum", &"many");
    sometimes |old| match old.total {
        0 => Resume::at_named("approve"),
        total => Resume::at_named("signal<Go>").keep("name").with("sum", &total),
    };
}

fn compare(now: &'static WorkflowEntry) -> Report {
    check(&released(&[old::pay::entry()]), [now]).expect("it is a lock file")
}

/// The finding about the only state that does not fit.
fn said(now: &'static WorkflowEntry) -> (Level, String) {
    let report = compare(now);
    let mut of_state =
        report.messages.iter().filter(|message| message.text.contains("`signal<Go>`"));
    let message = of_state.next().unwrap_or_else(|| panic!("it fits:\n{report}"));
    (message.level, message.text.clone())
}

async fn park(shop: &Shop) -> RunHandle<old::pay> {
    let run = shop.client.start(old::pay("Ada Lovelace".to_owned(), 20)).await.unwrap();
    shop.park(&run, &[old::pay::entry()], "signal<Go>").await;
    run
}

#[tokio::test(start_paused = true)]
async fn locals_are_renamed_split_and_added() {
    let shop = Shop::new();
    let run = park(&shop).await;
    let worker = shop.worker(&[locals::pay::entry()]).await;
    run.signal(Go(2)).await.unwrap();
    shop.until_closed(&run).await;
    assert_eq!(run.result().await.unwrap(), "Lovelace, Ada: 42 EUR");
    worker.shutdown().await.unwrap();
    let report = compare(locals::pay::entry());
    assert!(
        report.messages.iter().all(|message| !message.text.contains("`signal<Go>`")),
        "{report}"
    );
}

#[test]
fn no_migration_is_advised_for_runs_that_have_not_begun() {
    let report = check(&released(&[old::bare::entry()]), [parameter::bare::entry()]).unwrap();
    let message = report.messages.first().expect("a run without the argument does not fit");
    assert_eq!(message.finding.as_ref().unwrap().state, "start");
    let help = message.help.last().unwrap();
    assert!(
        help.starts_with("a `#[migrate]` cannot give arguments to a run that has not begun: "),
        "{report}"
    );
    assert!(!report.to_string().contains("struct Old"), "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_run_continues_in_another_state_that_awaits_the_same() {
    let shop = Shop::new();
    let run = park(&shop).await;
    let worker = shop.worker(&[state::pay::entry()]).await;
    run.signal(Go(2)).await.unwrap();
    shop.until_closed(&run).await;
    assert_eq!(run.result().await.unwrap(), "Ada Lovelace: 42");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_migration_fails_stays_as_it_is() {
    let shop = Shop::new();
    let run = park(&shop).await;
    let worker = shop.worker(&[too_few::pay::entry()]).await;
    run.signal(Go(2)).await.unwrap();
    let reason = shop.until_blocked(&run).await;
    assert!(
        reason.contains(
            "its `#[migrate]` failed: the local `sum` is missing: set it by `with` or `keep`"
        ),
        "{reason}"
    );
    worker.shutdown().await.unwrap();
    let worker = shop.worker(&[old::pay::entry()]).await;
    shop.until_closed(&run).await;
    assert_eq!(run.result().await.unwrap(), "Ada Lovelace 42 1");
    worker.shutdown().await.unwrap();
}

#[test]
fn the_check_finds_mistakes_in_a_migration() {
    for (entry, expected) in [
        (no_state::pay::entry(), "there is no state `approve` to continue at"),
        (
            other_operation::pay::entry(),
            "the run waits for the signal `Go`, and the code awaits the activity `charge`",
        ),
        (too_few::pay::entry(), "the local `sum` is missing: set it by `with` or `keep`"),
        (too_many::pay::entry(), "the state `signal<Go>` keeps no local `total`"),
        (not_saved::pay::entry(), "no local `sum` was saved"),
        (other_type::pay::entry(), "`sum` cannot be read"),
    ] {
        let (level, text) = said(entry);
        assert!(
            level == Level::Error && text.contains(expected),
            "{expected} is missing in: {text}"
        );
    }
    let (level, text) = said(sometimes::pay::entry());
    assert!(level == Level::Warning && text.contains("`approve`"), "{text}");
    let report = compare(no_state::pay::entry());
    let mut findings = report.findings();
    assert!(findings.any(|finding| matches!(finding.difference, Difference::Migration { .. })));
}
