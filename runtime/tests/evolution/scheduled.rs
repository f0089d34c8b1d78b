//! Schedules whose workflow changes between the time when they were created and the next start.

use std::sync::Arc;

use libtest_mimic::Failed;
use piton::client::{LogKind, ParkedReport};
use piton::lock::Lock;
use piton::model::{RunId, RunStatus};
use piton::schedule::Spec;
use piton::store::Store;

use crate::drive::{serve, until};
use crate::edit::{Boxed, Build};
use crate::shop::{Client, Lab};

/// An edit of the workflow that a schedule starts.
pub struct Scheduled {
    name: &'static str,
    what: &'static str,
    old: Build,
    new: Build,
    /// Creates the schedule with the old build.
    create: fn(Client) -> Boxed<()>,
    /// The result of a run that the old build starts.
    old_result: &'static str,
    fate: Fate,
}

/// What the new build does when the schedule is due.
#[derive(Clone, Copy)]
enum Fate {
    /// It starts a run with this result.
    Starts(&'static str),
    /// It cannot start a run, as the checks have said, for a reason with these words.
    CannotStart(&'static str),
    /// It has no such workflow, as the checks have said, and leaves the schedule to other workers.
    Leaves,
}
use Fate::{CannotStart, Leaves, Starts};

macro_rules! scheduled {
    ($(
        $what:literal
        $name:ident {
            old { $($old:tt)* }
            new { $($new:tt)* }
            create $arguments:tt => $old_result:literal, $fate:expr
        }
    )+) => {
        $(
            mod $name {
                use piton::machine::Workflow;

                use super::*;

                mod old {
                    use crate::shop::*;
                    $($old)*
                }

                mod new {
                    use crate::shop::*;
                    $($new)*
                }

                pub fn edit() -> Scheduled {
                    let build = |workflow| Build { workflow, children: vec![], activities: vec![] };
                    Scheduled {
                        name: stringify!($name),
                        what: $what,
                        old: build(<old::$name as Workflow>::entry()),
                        new: build(<new::$name as Workflow>::entry()),
                        create: |client| Box::pin(async move {
                            let spec = Spec::new().cron("0 6 1 1 *");
                            let schedule = client.schedule(stringify!($name));
                            schedule.create(spec, old::$name $arguments).await.unwrap();
                        }),
                        old_result: $old_result,
                        fate: $fate,
                    }
                }
            }
        )+

        fn all() -> Vec<Scheduled> {
            vec![$($name::edit()),+]
        }
    };
}

scheduled! {
    "two arguments change places, one is widened, and an await is added"
    scheduled_goes_on {
        old {
            #[workflow]
            pub async fn scheduled_goes_on(from: u8, to: u8) -> String {
                format!("{from} to {to}")
            }
        }
        new {
            #[workflow]
            pub async fn scheduled_goes_on(to: u64, from: u8) -> String {
                let charged = charge(to).await;
                format!("{from} to {to}, {charged}")
            }
        }
        create(1, 2) => "1 to 2", Starts("1 to 2, charged 2")
    }

    "a parameter is added"
    scheduled_with_more {
        old {
            #[workflow]
            pub async fn scheduled_with_more(id: u64) -> String {
                format!("{id}")
            }
        }
        new {
            #[workflow]
            pub async fn scheduled_with_more(id: u64, by: String) -> String {
                format!("{id} {by}")
            }
        }
        create(7) => "7", CannotStart("the parameter `by` is new, and no argument was given for it")
    }

    "a field without a default is added to an argument"
    scheduled_field_added {
        old {
            #[derive(Serialize, Deserialize)]
            pub struct Order {
                pub lines: Vec<Line>,
            }

            #[derive(Serialize, Deserialize)]
            pub struct Line {
                pub cents: u64,
            }

            #[workflow]
            pub async fn scheduled_field_added(order: Order) -> String {
                format!("{}", order.lines[0].cents)
            }
        }
        new {
            #[derive(Serialize, Deserialize)]
            pub struct Order {
                pub lines: Vec<Line>,
            }

            #[derive(Serialize, Deserialize)]
            pub struct Line {
                pub cents: u64,
                pub tax: u64,
            }

            #[workflow]
            pub async fn scheduled_field_added(order: Order) -> String {
                format!("{} {}", order.lines[0].cents, order.lines[0].tax)
            }
        }
        create(old::Order { lines: vec![old::Line { cents: 7 }] }) => "7", CannotStart("in the argument `order`: ")
    }

    "a field with a default is added to an argument"
    scheduled_field_with_default {
        old {
            #[derive(Serialize, Deserialize)]
            pub struct Order {
                pub cents: u64,
            }

            #[workflow]
            pub async fn scheduled_field_with_default(order: Order) -> String {
                format!("{}", order.cents)
            }
        }
        new {
            #[derive(Serialize, Deserialize)]
            pub struct Order {
                pub cents: u64,
                #[serde(default)]
                pub tax: u64,
            }

            #[workflow]
            pub async fn scheduled_field_with_default(order: Order) -> String {
                format!("{} {}", order.cents, order.tax)
            }
        }
        create(old::Order { cents: 7 }) => "7", Starts("7 0")
    }

    "the type of an argument no longer takes it"
    scheduled_narrowed {
        old {
            #[workflow]
            pub async fn scheduled_narrowed(cents: u64) -> String {
                format!("{cents}")
            }
        }
        new {
            #[workflow]
            pub async fn scheduled_narrowed(cents: u8) -> String {
                format!("{cents}")
            }
        }
        create(300) => "300", CannotStart("in the argument `cents`: ")
    }

    "the workflow gets another name"
    scheduled_renamed {
        old {
            #[workflow]
            pub async fn scheduled_renamed(id: u64) -> String {
                format!("{id}")
            }
        }
        new {
            #[workflow(name = "scheduled_renamed.now")]
            pub async fn scheduled_renamed(id: u64) -> String {
                format!("{id} now")
            }
        }
        create(7) => "7", Leaves
    }

    "the workflow gets another name, and states its old one"
    scheduled_formerly {
        old {
            #[workflow]
            pub async fn scheduled_formerly(id: u64) -> String {
                format!("{id}")
            }
        }
        new {
            #[workflow(name = "scheduled_formerly.now", formerly = "scheduled_formerly")]
            pub async fn scheduled_formerly(id: u64) -> String {
                format!("{id} now")
            }
        }
        create(7) => "7", Starts("7 now")
    }
}

/// The rows of the table in the documentation: the edits, and what the new build does.
pub fn rows() -> Vec<(&'static str, &'static str)> {
    let outcome = |edit: &Scheduled| match edit.fate {
        Starts(_) => "starts runs",
        CannotStart(_) => {
            "**starts none**: the workflow cannot take the arguments; the log of the schedule says why"
        }
        Leaves => {
            "**starts none**: the workflow is gone; the schedule waits for a worker that has it"
        }
    };
    all().iter().map(|edit| (edit.what, outcome(edit))).collect()
}

/// Creates each schedule in the old build, and lets the new one and then the old one start a run.
pub async fn check(store: Arc<dyn Store>) -> Result<(), Failed> {
    for edit in all() {
        drive(&store, &edit).await.map_err(|why| format!("{}: {why}", edit.name))?;
    }
    Ok(())
}

async fn drive(store: &Arc<dyn Store>, edit: &Scheduled) -> Result<(), String> {
    let (lab, client) = (Lab::default(), Client::new(Arc::clone(store)));
    (edit.create)(client.clone()).await;
    judged(&client, edit).await?;

    let schedule = client.schedule(edit.name);
    let worker = serve(&client, &edit.new, &lab).await;
    schedule.trigger().await.unwrap();
    match edit.fate {
        Starts(expected) => started(&client, edit, expected).await?,
        CannotStart(words) => {
            let reason = logged(&client, edit, |what, _| match what {
                LogKind::CannotStart { reason } => Some(reason.clone()),
                LogKind::Started { .. } => Some("it was started".to_owned()),
                _ => None,
            });
            let reason = reason.await;
            if !reason.contains(words) {
                return Err(format!("the reason is: {reason}"));
            }
        }
        // The old build finds the request.
        Leaves => {}
    }
    worker.shutdown().await.unwrap();
    if let CannotStart(_) = edit.fate {
        schedule.trigger().await.unwrap();
    }
    if !matches!(edit.fate, Starts(_)) {
        let worker = serve(&client, &edit.old, &lab).await;
        started(&client, edit, edit.old_result).await?;
        worker.shutdown().await.unwrap();
    }
    // The checks of the next edit are not to find it.
    assert!(schedule.delete().await.unwrap());
    Ok(())
}

/// Compares the checks of the database with the fate of the schedule.
async fn judged(client: &Client, edit: &Scheduled) -> Result<(), String> {
    let by_code = client.check_parked([edit.new.workflow]).await.unwrap();
    let mut lock = Lock::default();
    lock.record([edit.new.workflow]);
    let by_lock = client.check_parked_by(&lock).await.unwrap();
    let told = |report: &ParkedReport| {
        let unfit = report.unfit_schedules.first()?;
        assert_eq!((&*unfit.schedule, &*unfit.workflow), (edit.name, edit.old.workflow.name));
        Some((unfit.reason.to_string(), unfit.is_certain))
    };
    let (code, lock) = (told(&by_code), told(&by_lock));
    let is_right = match edit.fate {
        // Only the code knows that a field has a default.
        Starts(_) => code.is_none() && by_lock.is_ok() && by_code.is_ok(),
        CannotStart(words) => {
            let is_told = |told: &Option<(String, bool)>| {
                told.as_ref().is_some_and(|(reason, _)| reason.contains(words))
            };
            is_told(&code) && is_told(&lock) && !by_code.is_ok()
        }
        Leaves => code.is_some() && lock == code && by_code.is_ok() && by_lock.is_ok(),
    };
    match is_right && (by_code.schedules, by_lock.schedules) == (1, 1) {
        true => Ok(()),
        false => Err(format!("the code says {by_code:?}, and the lock {by_lock:?}")),
    }
}

/// Waits for the run that was started, and compares its result.
async fn started(client: &Client, edit: &Scheduled, expected: &str) -> Result<(), String> {
    let run_id = logged(client, edit, |what, run_id| match what {
        LogKind::Started { .. } => Some(Ok(run_id.expect("a start names the run"))),
        LogKind::CannotStart { reason } if matches!(edit.fate, Starts(_)) => {
            Some(Err(reason.clone()))
        }
        _ => None,
    });
    let run_id: RunId = run_id.await?;
    let run = until(client, run_id, |run| !run.status.is_open()).await?;
    let result = client.payload_json(&run.result.unwrap_or_default()).await;
    match run.status == RunStatus::Completed && result.as_ref().is_ok_and(|json| json == expected) {
        true => Ok(()),
        false => Err(format!("it came to {:?} {result:?}", run.status)),
    }
}

/// The first entry of the schedule's log that counts, once it is there.
async fn logged<T>(
    client: &Client,
    edit: &Scheduled,
    counts: impl Fn(&LogKind, Option<RunId>) -> Option<T>,
) -> T {
    loop {
        let log = client.schedule(edit.name).log(None, 100).await.unwrap();
        let found = log.iter().rev().find_map(|entry| counts(&entry.what, entry.run_id));
        match found {
            Some(found) => return found,
            None => tokio::task::yield_now().await,
        }
    }
}
