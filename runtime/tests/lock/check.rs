//! The findings of the comparison for edits.

use piton::lock::{Level, Lock, Message, Report, check};
use piton::machine::{Workflow as _, WorkflowEntry};
use piton::model::Difference;
use piton::prelude::*;

use crate::build::{Go, charge, released};

/// The released code, with everything that is edited below.
mod old {
    use super::*;

    #[workflow]
    pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
        let total = cents * 2;
        charge(total).await;
        let go = cx.signal::<Go>().await;
        total + go.0 + note.len() as u64
    }

    #[workflow]
    pub async fn both(cx: &Context, cents: u64) -> u64 {
        let (charged, go) = join!(charge(cents), async {
            let extra = cents + 1;
            cx.signal::<Go>().await.0 + extra
        });
        charged + go
    }

    #[workflow]
    pub async fn outer(cx: &Context) -> u64 {
        pay(7, String::new()).await
    }
}

fn compare(before: &'static WorkflowEntry, now: &'static WorkflowEntry) -> Report {
    check(&released(&[before]), [now]).expect("it is a lock file")
}

#[track_caller]
fn only(report: &Report) -> &Message {
    let [message] = &report.messages[..] else { panic!("not one message:\n{report}") };
    message
}

#[test]
fn an_unchanged_workflow_fits() {
    let report = compare(old::pay::entry(), old::pay::entry());
    assert_eq!((report.is_ok(), report.to_string()), (true, String::new()));
}

#[test]
fn an_edit_that_fits_is_no_error_and_is_to_be_accepted() {
    mod new {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            let total = cents * 3;
            cx.sleep(seconds(1)).await;
            charge(total).await;
            let go = cx.signal::<Go>().await;
            total + go.0 + note.len() as u64
        }
    }
    let report = compare(old::pay::entry(), new::pay::entry());
    assert!(report.is_ok() && report.messages.is_empty(), "{report}");
    assert_eq!(report.unrecorded, ["`pay`"]);
    assert_eq!(
        report.to_string(),
        "note: not in `piton.lock` as they are today: `pay`\n   = help: when you release them: \
         `PITON_LOCK=accept cargo test piton_lock`\n"
    );
}

#[test]
fn an_error_reads_as_those_of_rustc_do() {
    mod new {
        use super::*;

        pub const LINE: u32 = line!() + 5;
        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            let sum = cents * 2;
            #[state("charge")]
            charge(sum).await;
            sum + note.len() as u64
        }
    }
    let report = compare(old::pay::entry(), new::pay::entry());
    assert!(!report.is_ok());
    let charge = report.messages.iter().find(|message| message.text.contains("`charge`"));
    let text = charge.expect("it is an error").to_string();
    let definition = old::pay::entry().definition().hash;
    let saved_line = old::pay::GRAPH.nodes()[1].line;
    let file = file!();
    let line = new::LINE;
    assert_eq!(
        text,
        format!(
            "error: the state `charge` of `pay` does not fit the released definition: `sum` is needed after the await and \
             was not saved (saved and no longer needed: `total`)\n  \
               --> {file}:{line}\n   \
                |\n   \
                = note: runs may be parked in this state, at {file}:{saved_line} of the definition {definition} of \
             `pay`\n   \
                = help: keep the old name or state it with `#[formerly(\"…\")]`, make the value after the await, or write a \
             `#[migrate]`\n   \
                = help: a `#[migrate(workflow = pay, from = \"charge\")]` is called with the saved values:\n           \
                        #[derive(Deserialize)]\n           \
                        struct OldCharge {{\n               \
                            note: String,\n               \
                            total: u64,\n           \
                        }}\n"
        )
    );
    let gone = report.messages.iter().find(|message| message.text.contains("`signal<Go>`"));
    let gone = gone.expect("the other state is gone");
    let finding = gone.finding.as_ref().expect("it blocks runs");
    assert_eq!(finding.difference, Difference::MissingState);
}

#[test]
fn values_that_never_fit_are_an_error_and_those_that_may_a_warning() {
    mod narrower {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u32, note: String) -> u64 {
            let total: u32 = cents * 2;
            charge(total.into()).await;
            let go = cx.signal::<Go>().await;
            u64::from(total) + go.0 + note.len() as u64
        }
    }
    mod other {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: bool) -> u64 {
            let total = cents * 2;
            charge(total).await;
            let go = cx.signal::<Go>().await;
            total + go.0 + u64::from(note)
        }
    }
    mod wider {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: Option<String>) -> u64 {
            let total = u128::from(cents) * 2;
            charge(total as u64).await;
            let go = cx.signal::<Go>().await;
            total as u64 + go.0 + note.map_or(0, |note| note.len() as u64)
        }
    }
    let report = compare(old::pay::entry(), narrower::pay::entry());
    assert!(report.is_ok(), "{report}");
    let told: Vec<_> =
        report.messages.iter().map(|message| (message.level, &*message.text)).collect();
    assert_eq!(told.len(), 3, "{report}");
    assert!(told.iter().all(|(level, _)| *level == Level::Warning), "{report}");
    assert!(told.iter().any(|(_, text)| text.contains("`total` cannot be read")), "{report}");

    let report = compare(old::pay::entry(), other::pay::entry());
    assert_eq!(report.findings().count(), 3, "{report}");
    let of = |finding: &piton::model::Finding| match &finding.difference {
        Difference::Unreadable { value, .. } => value.clone(),
        other => panic!("another difference: {other:?}"),
    };
    let mut values: Vec<_> = report.findings().map(of).collect();
    values.sort_unstable();
    assert_eq!(values, ["argument 2 of `pay`", "note", "note"]);

    let report = compare(old::pay::entry(), wider::pay::entry());
    assert!(report.messages.is_empty(), "{report}");
}

#[test]
fn the_output_of_an_operation_is_compared_as_well() {
    mod new {
        use super::*;

        pub mod other {
            use super::*;

            #[activity]
            pub async fn charge(cents: String, currency: String) -> String {
                cents + &currency
            }
        }

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            let total = cents * 2;
            other::charge(total.to_string(), "EUR".to_owned()).await;
            let go = cx.signal::<Go>().await;
            total + go.0 + note.len() as u64
        }
    }
    let report = compare(old::pay::entry(), new::pay::entry());
    let text = report.to_string();
    for part in
        ["the call of `charge`", "the parameter `currency` is new", "the result of `charge`"]
    {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
}

#[test]
fn states_of_blocks_in_branches_are_compared() {
    mod swapped {
        use super::*;

        #[workflow]
        pub async fn both(cx: &Context, cents: u64) -> u64 {
            let (go, charged) = join!(
                async {
                    let extra = cents + 1;
                    cx.signal::<Go>().await.0 + extra
                },
                charge(cents)
            );
            charged + go
        }
    }
    mod renamed {
        use super::*;

        #[workflow]
        pub async fn both(cx: &Context, cents: u64) -> u64 {
            let (charged, go) = join!(charge(cents), async {
                let more = cents + 1;
                cx.signal::<Go>().await.0 + more
            });
            charged + go
        }
    }
    let report = compare(old::both::entry(), swapped::both::entry());
    assert!(report.messages.is_empty(), "{report}");
    let report = compare(old::both::entry(), renamed::both::entry());
    let message = only(&report);
    assert!(message.text.contains("`more` is needed"), "{report}");
    assert!(message.text.contains("`join.1.signal<Go>`"), "{report}");
}

#[test]
fn a_workflow_that_is_gone_is_an_error() {
    let report = compare(old::both::entry(), old::pay::entry());
    let message = only(&report);
    assert_eq!((message.level, &*message.text), (Level::Error, "the workflow `both` is gone"));
    assert!(message.help[0].contains("#[workflow(formerly = \"both\")]"), "{report}");
    assert!(!report.is_ok());

    mod new {
        use super::*;

        #[workflow(version = 2)]
        pub async fn pay(cx: &Context) {
            cx.signal::<Go>().await;
        }

        #[workflow(formerly = "both")]
        pub async fn two(cx: &Context, cents: u64) -> u64 {
            let (charged, go) = join!(charge(cents), async {
                let extra = cents + 1;
                cx.signal::<Go>().await.0 + extra
            });
            charged + go
        }
    }
    let report = compare(old::pay::entry(), new::pay::entry());
    assert!(only(&report).help[0].contains("version 1"), "{report}");
    let report = compare(old::both::entry(), new::two::entry());
    assert!(report.messages.is_empty(), "{report}");
    assert_eq!(report.unrecorded, ["`two`"]);
}

#[test]
fn what_other_definitions_say_again_is_said_once() {
    mod newer {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            let total = cents * 2;
            cx.sleep(seconds(1)).await;
            charge(total).await;
            let go = cx.signal::<Go>().await;
            total + go.0 + note.len() as u64
        }
    }
    mod newest {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            let total = cents * 2;
            cx.sleep(seconds(1)).await;
            charge(total).await;
            total + note.len() as u64
        }
    }
    let mut lock = Lock::default();
    lock.record([old::pay::entry()]);
    lock.record([newer::pay::entry()]);
    assert_eq!(lock.definitions().len(), 2);
    let report = check(&lock.to_string(), [newest::pay::entry()]).unwrap();
    let message = only(&report);
    assert!(message.text.contains("`signal<Go>`"), "{report}");
    assert_eq!(message.notes[1], "an older definition in `piton.lock` has the same");
}

#[test]
fn a_local_may_have_had_another_name() {
    mod new {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            #[formerly("total")]
            let sum = u128::from(cents) * 2;
            charge(sum as u64).await;
            let go = cx.signal::<Go>().await;
            sum as u64 + go.0 + note.len() as u64
        }
    }
    let report = compare(old::pay::entry(), new::pay::entry());
    assert!(report.messages.is_empty(), "{report}");
    let locals = new::pay::GRAPH.nodes()[1].locals;
    assert!(locals.iter().any(|local| (local.name, local.formerly) == ("sum", "total")));
}

#[test]
fn a_saved_local_becomes_one_variable_only() {
    mod new {
        use super::*;

        #[workflow]
        pub async fn pay(cx: &Context, cents: u64, note: String) -> u64 {
            #[formerly("total")]
            let sum = cents * 2;
            let total = cents + 1;
            charge(sum).await;
            let go = cx.signal::<Go>().await;
            sum + total + go.0 + note.len() as u64
        }
    }
    let report = compare(old::pay::entry(), new::pay::entry());
    let is_ambiguous = |difference: &Difference| matches!(difference, Difference::AmbiguousLocal { local } if local == "total");
    assert_eq!(report.findings().count(), 2, "{report}");
    assert!(report.findings().all(|finding| is_ambiguous(&finding.difference)), "{report}");
}

/// A generic workflow that others await with several types.
mod generic {
    use super::*;

    #[workflow]
    pub async fn held<T: Durable>(cx: &Context, value: T) -> T {
        cx.signal::<Go>().await;
        value
    }

    #[workflow]
    pub async fn holds(cx: &Context) -> String {
        let text = held("text".to_owned()).await;
        let number = held(7_u8).await;
        format!("{text} {number}")
    }
}

#[test]
fn instances_of_a_generic_workflow_are_compared_with_themselves() {
    let report = compare(generic::holds::entry(), generic::holds::entry());
    assert_eq!((report.is_ok(), report.to_string()), (true, String::new()));
}

#[test]
fn an_instance_is_compared_with_the_one_that_is_awaited_in_its_place() {
    mod wider {
        use super::generic::held;
        use super::*;

        #[workflow]
        pub async fn holds(cx: &Context) -> String {
            let text = held("text".to_owned()).await;
            let number = held(7_u64).await;
            format!("{text} {number}")
        }
    }
    let report = compare(generic::holds::entry(), wider::holds::entry());
    assert!(report.is_ok() && report.messages.is_empty(), "{report}");

    mod other {
        use super::generic::held;
        use super::*;

        #[workflow]
        pub async fn holds(cx: &Context) -> String {
            // What the other await still gives.
            let text = held(8_u8).await;
            let number = held(7_u8).await;
            format!("{text} {number}")
        }
    }
    let report = compare(generic::holds::entry(), other::holds::entry());
    let text = report.to_string();
    assert!(
        text.contains("the state `signal<Go>` of `held`") && text.contains("expected u8"),
        "{text}"
    );
    assert!(!report.is_ok(), "a text is no number: {text}");
}
