//! Arguments, results, signals and heartbeat details that one build writes and another reads.

use crate::edits;

edits! {
    "the fields of a signal that waits in the inbox are sorted"
    signal_fields_reordered {
        old [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub approved: bool,
                pub urgent: bool,
            }

            #[workflow]
            pub async fn signal_fields_reordered(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Decision { approved, urgent } = cx.signal::<Decision>().await;
                format!("{go} {approved} {urgent}")
            }
        }
        new [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub urgent: bool,
                pub approved: bool,
            }

            #[workflow]
            pub async fn signal_fields_reordered(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Decision { approved, urgent } = cx.signal::<Decision>().await;
                format!("{go} {approved} {urgent}")
            }
        }
        run old() new();
        at "signal<Go>" [old::Decision { approved: true, urgent: false }] [Go(1)] => Goes("1 true false");
        at "signal<Go>" [] [Go(1), new::Decision { approved: true, urgent: false }] => Goes("1 true false");
        at "signal<Decision>" [Go(1)] [new::Decision { approved: true, urgent: false }] => Goes("1 true false");
    }

    "the new build sends a signal whose fields are sorted, and the old one reads it"
    signal_read_by_the_old_build {
        old [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub approved: bool,
                pub urgent: bool,
            }

            #[workflow]
            pub async fn signal_read_by_the_old_build(cx: &Context) -> String {
                let kept = 5;
                let Decision { approved, urgent } = cx.signal::<Decision>().await;
                format!("{kept} {approved} {urgent}")
            }
        }
        new [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub urgent: bool,
                pub approved: bool,
            }

            #[workflow]
            pub async fn signal_read_by_the_old_build(cx: &Context) -> String {
                let renamed = 5;
                let Decision { approved, urgent } = cx.signal::<Decision>().await;
                format!("{renamed} {approved} {urgent}")
            }
        }
        run old() new();
        at "signal<Decision>" [] [new::Decision { approved: true, urgent: false }] => Blocked("MissingLocal", "`renamed`", "5 true false");
    }

    "a field with a default is added to a signal that waits in the inbox"
    signal_field_added {
        old [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub approved: bool,
            }

            #[workflow]
            pub async fn signal_field_added(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let decision = cx.signal::<Decision>().await;
                format!("{go} {}", decision.approved)
            }
        }
        new [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                #[serde(default)]
                pub by: u8,
                pub approved: bool,
            }

            #[workflow]
            pub async fn signal_field_added(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Decision { by, approved } = cx.signal::<Decision>().await;
                format!("{go} {by} {approved}")
            }
        }
        run old() new();
        at "signal<Go>" [old::Decision { approved: true }] [Go(1)] => Goes("1 0 true");
    }

    "the type of a signal that waits in the inbox no longer takes it"
    signal_unreadable {
        old [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub approved: bool,
            }

            #[workflow]
            pub async fn signal_unreadable(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let decision = cx.signal::<Decision>().await;
                format!("{go} {}", decision.approved)
            }
        }
        new [] {
            #[derive(Debug, Signal, Serialize, Deserialize)]
            pub struct Decision {
                pub level: u64,
            }

            #[workflow]
            pub async fn signal_unreadable(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let decision = cx.signal::<Decision>().await;
                format!("{go} {}", decision.level)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1), new::Decision { level: 5 }] => Goes("1 5");
        at "signal<Decision>" [Go(1)] [new::Decision { level: 5 }] => Goes("1 5");
        at "signal<Go>" [old::Decision { approved: true }] [Go(1)] => Blocked("", "level", "1 true");
    }

    "the fields of an argument of an activity are sorted while it is attempted"
    argument_reordered {
        old [transfer] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Transfer {
                pub from: u64,
                pub to: u64,
            }

            #[activity]
            pub async fn transfer(cx: &ActivityContext, transfer: Transfer) -> String {
                pass(cx, "transfer".into()).await;
                format!("from {} to {}", transfer.from, transfer.to)
            }

            #[workflow]
            pub async fn argument_reordered() -> String {
                transfer(Transfer { from: 1, to: 2 }).await
            }
        }
        new [transfer] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Transfer {
                pub to: u64,
                pub from: u64,
            }

            #[activity]
            pub async fn transfer(cx: &ActivityContext, transfer: Transfer) -> String {
                pass(cx, "transfer".into()).await;
                format!("from {} to {}", transfer.from, transfer.to)
            }

            #[workflow]
            pub async fn argument_reordered() -> String {
                transfer(Transfer { from: 1, to: 2 }).await
            }
        }
        run old() new();
        at "transfer" [] [] holding ["transfer"] => Goes("from 1 to 2");
    }

    "an argument of an activity gets a field with a default while it is attempted"
    argument_field_added {
        old [transfer] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Transfer {
                pub to: u64,
            }

            #[activity]
            pub async fn transfer(cx: &ActivityContext, transfer: Transfer) -> String {
                pass(cx, "transfer".into()).await;
                format!("{transfer:?}")
            }

            #[workflow]
            pub async fn argument_field_added() -> String {
                transfer(Transfer { to: 2 }).await
            }
        }
        new [transfer] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Transfer {
                #[serde(default)]
                pub note: Option<String>,
                pub to: u64,
            }

            #[activity]
            pub async fn transfer(cx: &ActivityContext, transfer: Transfer) -> String {
                pass(cx, "transfer".into()).await;
                format!("{transfer:?}")
            }

            #[workflow]
            pub async fn argument_field_added() -> String {
                transfer(Transfer { to: 2, note: None }).await
            }
        }
        run old() new();
        at "transfer" [] [] holding ["transfer"] => Goes("Transfer { note: None, to: 2 }");
    }

    "a parameter of an activity no longer accepts the stored argument"
    argument_unreadable {
        old [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, what: String) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {what}")
            }

            #[workflow]
            pub async fn argument_unreadable() -> String {
                weigh("box".into()).await
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, what: u64) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {what}")
            }

            #[workflow]
            pub async fn argument_unreadable() -> String {
                weigh(5).await
            }
        }
        run old() new();
        at "start" [] [] => Goes("weighed 5");
        at "weigh" [] [] holding ["weigh"] => Blocked("", "u64", "weighed box");
    }

    "two arguments of an activity change places while it is attempted"
    arguments_swapped {
        old [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, what: String, count: u64) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {count} {what}")
            }

            #[workflow]
            pub async fn arguments_swapped() -> String {
                weigh("box".into(), 3).await
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, count: u64, what: String) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {count} {what}")
            }

            #[workflow]
            pub async fn arguments_swapped() -> String {
                weigh(3, "box".into()).await
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh"] => Goes("weighed 3 box");
    }

    "a parameter is added to an activity while it is attempted"
    parameter_added {
        old [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, what: String) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {what}")
            }

            #[workflow]
            pub async fn parameter_added() -> String {
                weigh("box".into()).await
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, what: String, count: u64) -> String {
                pass(cx, "weigh".into()).await;
                format!("weighed {count} {what}")
            }

            #[workflow]
            pub async fn parameter_added() -> String {
                weigh("box".into(), 3).await
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh"] => Blocked("", "argument", "weighed box");
    }

    "the fields of the result of a run that has closed are sorted"
    result_reordered {
        old [] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Balance {
                pub credit: u64,
                pub debit: u64,
            }

            #[workflow]
            pub async fn result_reordered() -> Balance {
                charge(1).await;
                Balance { credit: 100, debit: 0 }
            }
        }
        new [] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Balance {
                pub debit: u64,
                pub credit: u64,
            }

            #[workflow]
            pub async fn result_reordered() -> Balance {
                charge(1).await;
                Balance { credit: 200, debit: 0 }
            }
        }
        run old() new();
        at "end" [] [] => Goes("Balance { debit: 0, credit: 100 }");
        at "charge" [] [] holding ["charge 1"] => Goes("Balance { debit: 0, credit: 200 }");
    }

    "the result of an activity is widened while it is attempted"
    activity_result_edited {
        old [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext) -> u8 {
                pass(cx, "weigh".into()).await;
                200
            }

            #[workflow]
            pub async fn activity_result_edited() -> String {
                format!("{}", weigh().await)
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext) -> u64 {
                pass(cx, "weigh".into()).await;
                300
            }

            #[workflow]
            pub async fn activity_result_edited() -> String {
                format!("{}", weigh().await)
            }
        }
        run old() new();
        at "weigh" [] [] holding ["weigh"] => Goes("300");
    }

    "the fields of what an activity has reported are sorted"
    heartbeat_reordered {
        old [copy] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Progress {
                pub done: u64,
                pub failed: u64,
            }

            /// The first attempt reports and fails.
            #[activity(heartbeat = "1h", retry(initial = "1ms"))]
            pub async fn copy(cx: &ActivityContext) -> Result<String, String> {
                let Some(Progress { done, failed }) = cx.last_heartbeat() else {
                    cx.heartbeat(&Progress { done: 5, failed: 0 }).unwrap();
                    return Err("try again".to_owned());
                };
                pass(cx, "copy".into()).await;
                Ok(format!("{done} done, {failed} failed"))
            }

            #[workflow]
            pub async fn heartbeat_reordered() -> String {
                copy().await.unwrap()
            }
        }
        new [copy] {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct Progress {
                pub failed: u64,
                pub done: u64,
            }

            #[activity(heartbeat = "1h", retry(initial = "1ms"))]
            pub async fn copy(cx: &ActivityContext) -> Result<String, String> {
                pass(cx, "copy".into()).await;
                match cx.last_heartbeat() {
                    Some(Progress { done, failed }) => Ok(format!("{done} done, {failed} failed")),
                    None => Ok("nothing".to_owned()),
                }
            }

            #[workflow]
            pub async fn heartbeat_reordered() -> String {
                copy().await.unwrap()
            }
        }
        run old() new();
        at "copy" [] [] holding ["copy"] => Goes("5 done, 0 failed");
    }

    "the fields of an argument of the workflow are sorted before a run has begun"
    start_arguments_reordered {
        old [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Transfer {
                pub from: u8,
                pub to: u8,
            }

            #[workflow]
            pub async fn start_arguments_reordered(transfer: Transfer) -> String {
                charge(1).await;
                format!("from {} to {}", transfer.from, transfer.to)
            }
        }
        new [] {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            pub struct Transfer {
                pub to: u64,
                pub from: u64,
                #[serde(default)]
                pub note: Option<String>,
            }

            #[workflow]
            pub async fn start_arguments_reordered(transfer: Transfer) -> String {
                charge(1).await;
                format!("from {} to {} {:?}", transfer.from, transfer.to, transfer.note)
            }
        }
        run old(old::Transfer { from: 1, to: 2 }) new(new::Transfer { from: 1, to: 2, note: None });
        at "start" [] [] => Goes("from 1 to 2 None");
    }

    "two parameters of one type change places before a run has begun"
    start_parameters_swapped {
        old [] {
            #[workflow]
            pub async fn start_parameters_swapped(from: u64, to: u64) -> String {
                charge(1).await;
                format!("from {from} to {to}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_parameters_swapped(to: u64, from: u64) -> String {
                charge(1).await;
                format!("from {from} to {to}")
            }
        }
        run old(1, 2) new(2, 1);
        at "start" [] [] => Goes("from 1 to 2");
    }

    "a parameter is added to the workflow before a run has begun"
    start_parameter_added {
        old [] {
            #[workflow]
            pub async fn start_parameter_added(from: u64) -> String {
                charge(1).await;
                format!("from {from}")
            }
        }
        new [] {
            #[workflow]
            pub async fn start_parameter_added(from: u64, to: u64) -> String {
                charge(1).await;
                format!("from {from} to {to}")
            }
        }
        run old(1) new(1, 2);
        at "start" [] [] => Blocked("", "to", "from 1");
        at "charge" [] [] holding ["charge 1"] => Blocked("MissingLocal", "`to`", "from 1");
    }
}
