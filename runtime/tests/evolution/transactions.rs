//! Activities that become transactions, and back: which function makes the next attempt, and whether what it writes is
//! committed.
//!
//! The type of the connection is that of the store, so there is a program for each store.

use std::pin::Pin;
use std::sync::Arc;

use libtest_mimic::Failed;
use piton::machine::Workflow;
use piton::model::{Handle, RunStatus};
use piton::store::{ActivityKey, Store};

use crate::books::Books;
use crate::drive::{serve, until};
use crate::edit::{Build, Edit};
use crate::shop::{Client, Lab};

/// A test, by its name.
pub type Test =
    (&'static str, fn(Arc<dyn Store>, Books) -> Pin<Box<dyn Future<Output = Result<(), Failed>>>>);

macro_rules! programs {
    ($($store:ident),*) => {
        $(pub mod $store {
            use super::*;

            pub const TESTS: [Test; 2] = [
                ("transactions", |store, books| Box::pin(check(store, books, all()))),
                ("queued", |store, books| Box::pin(check_queued(store, books))),
            ];

            $crate::edits! {
                "an activity becomes a transaction while it is attempted"
                becomes_transaction {
                    old [enter] {
                        #[activity(name = "becomes_transaction.enter")]
                        pub async fn enter(cx: &ActivityContext, cents: u8) -> String {
                            pass(cx, "enter".into()).await;
                            format!("entered {cents}")
                        }

                        #[workflow]
                        pub async fn becomes_transaction() -> String {
                            enter(200).await
                        }
                    }
                    new [enter] {
                        #[activity(transaction, name = "becomes_transaction.enter")]
                        pub async fn enter(book: &mut crate::books::$store::Book, cents: u64) -> String {
                            book.make_entry("entered").await;
                            format!("wrote {cents}")
                        }

                        #[workflow]
                        pub async fn becomes_transaction() -> String {
                            enter(200).await
                        }
                    }
                    run old() new();
                    at "start" [] [] => Goes("wrote 200");
                    at "enter" [] [] holding ["enter"] => Goes("wrote 200");
                }

                "an activity that is made at most once becomes a transaction, and was interrupted"
                once_becomes_transaction {
                    old [enter] {
                        #[activity(name = "once_becomes_transaction.enter", at_most_once)]
                        pub async fn enter(cx: &ActivityContext, cents: u64) -> Result<String, String> {
                            pass(cx, "enter".into()).await;
                            Ok(format!("entered {cents}"))
                        }

                        #[workflow]
                        pub async fn once_becomes_transaction() -> String {
                            enter(200).await.unwrap_or_else(|error| error.to_string())
                        }
                    }
                    new [enter] {
                        #[activity(transaction, name = "once_becomes_transaction.enter")]
                        pub async fn enter(book: &mut crate::books::$store::Book, cents: u64) -> Result<String, String> {
                            book.make_entry("entered").await;
                            Ok(format!("wrote {cents}"))
                        }

                        #[workflow]
                        pub async fn once_becomes_transaction() -> String {
                            match enter(200).await {
                                Ok(entered) => entered,
                                Err(ActivityError::OutcomeUnknown) => "unknown".to_owned(),
                                Err(error) => error.to_string(),
                            }
                        }
                    }
                    run old() new();
                    at "enter" [] [] holding ["enter"] => Goes("unknown");
                }

                "a transaction becomes an activity while it is attempted"
                transaction_becomes_activity {
                    old [enter] {
                        #[activity(transaction, name = "transaction_becomes_activity.enter")]
                        pub async fn enter(cx: &ActivityContext, book: &mut crate::books::$store::Book, from: u64, to: u64) -> String {
                            book.make_entry("entered").await;
                            pass(cx, "enter".into()).await;
                            format!("wrote {from} {to}")
                        }

                        #[workflow]
                        pub async fn transaction_becomes_activity() -> String {
                            enter(1, 2).await
                        }
                    }
                    new [enter] {
                        #[activity(name = "transaction_becomes_activity.enter")]
                        pub async fn enter(to: u64, from: u64) -> String {
                            format!("entered {from} {to}")
                        }

                        #[workflow]
                        pub async fn transaction_becomes_activity() -> String {
                            enter(2, 1).await
                        }
                    }
                    run old() new();
                    at "enter" [] [] holding ["enter"] => Goes("entered 1 2");
                }

                "a transaction becomes an activity on a queue, and its outcome is kept and widened"
                outcome_of_transaction {
                    old [enter] {
                        #[activity(transaction, name = "outcome_of_transaction.enter")]
                        pub async fn enter(book: &mut crate::books::$store::Book, cents: u8) -> (u8, u8) {
                            book.make_entry("entered").await;
                            (cents, 1)
                        }

                        #[workflow]
                        pub async fn outcome_of_transaction(cx: &Context) -> String {
                            let (entered, go) = join!(enter(200), cx.signal::<Go>());
                            format!("{entered:?} {go:?}")
                        }
                    }
                    new [enter] {
                        #[activity(name = "outcome_of_transaction.enter", queue = "desk")]
                        pub async fn enter(cents: u64) -> (u64, u8) {
                            (cents, 2)
                        }

                        #[workflow]
                        pub async fn outcome_of_transaction(cx: &Context) -> String {
                            let (entered, go) = join!(enter(300), cx.signal::<Go>());
                            format!("{entered:?} {go:?}")
                        }
                    }
                    run old() new();
                    at "start" [] [Go(1)] => Goes("(300, 2) Go(1)");
                    at "join" [] [Go(1)] => Goes("(200, 1) Go(1)");
                }

                "an activity that `cx.map` calls becomes a transaction while some calls are made"
                map_of_transactions {
                    old [enter] {
                        #[activity(name = "map_of_transactions.enter")]
                        pub async fn enter(cx: &ActivityContext, cents: u64) -> String {
                            pass(cx, format!("enter {cents}")).await;
                            format!("entered {cents}")
                        }

                        #[workflow]
                        pub async fn map_of_transactions(cx: &Context) -> String {
                            cx.map(1..4, enter).concurrency(1).await.join(" ")
                        }
                    }
                    new [enter] {
                        #[activity(transaction, name = "map_of_transactions.enter")]
                        pub async fn enter(book: &mut crate::books::$store::Book, cents: u64) -> String {
                            book.make_entry("entered").await;
                            format!("wrote {cents}")
                        }

                        #[workflow]
                        pub async fn map_of_transactions(cx: &Context) -> String {
                            cx.map(1..4, enter).concurrency(1).await.join(" ")
                        }
                    }
                    run old() new();
                    at "start" [] [] => Goes("wrote 1 wrote 2 wrote 3");
                    at "map" [] [] holding ["enter 2"] delaying 1 => Goes("entered 1 wrote 2 wrote 3");
                }

                "the activity of a noted compensation becomes a transaction"
                compensation_becomes_transaction {
                    old [undo] {
                        #[activity(name = "compensation_becomes_transaction.undo")]
                        pub async fn undo(id: u64) -> Result<(), String> {
                            Err(format!("not {id}"))
                        }

                        #[workflow]
                        pub async fn compensation_becomes_transaction(cx: &Context) -> Result<(), String> {
                            cx.on_failure(undo(7));
                            let Go(go) = cx.signal::<Go>().await;
                            Err(format!("refused {go}"))
                        }
                    }
                    new [undo] {
                        #[activity(transaction, name = "compensation_becomes_transaction.undo")]
                        pub async fn undo(book: &mut crate::books::$store::Book, id: u64) -> Result<(), String> {
                            book.make_entry(&format!("undone {id}")).await;
                            Ok(())
                        }

                        #[workflow]
                        pub async fn compensation_becomes_transaction(cx: &Context) -> Result<(), String> {
                            cx.on_failure(undo(7));
                            let Go(go) = cx.signal::<Go>().await;
                            Err(format!("refused {go}"))
                        }
                    }
                    run old() new();
                    at "signal<Go>" [] [Go(1)] => Goes("Err(Failed(\"refused 1\"))");
                }
            }

            mod old {
                use crate::shop::*;

                #[activity(name = "leaves_its_queue.enter", queue = "desk")]
                pub async fn enter(cx: &ActivityContext, cents: u64) -> String {
                    pass(cx, "enter".into()).await;
                    format!("entered {cents}")
                }

                #[workflow]
                pub async fn leaves_its_queue() -> String {
                    enter(200).await
                }
            }

            mod new {
                use crate::shop::*;

                #[activity(transaction, name = "leaves_its_queue.enter")]
                pub async fn enter(book: &mut crate::books::$store::Book, cents: u64) -> String {
                    book.make_entry("entered").await;
                    format!("wrote {cents}")
                }

                #[workflow]
                pub async fn leaves_its_queue() -> String {
                    enter(200).await
                }

                #[activity(queue = "desk")]
                pub async fn carry(id: u64) -> String {
                    format!("carried {id}")
                }

                #[workflow]
                pub async fn comes_later(id: u64) -> String {
                    carry(id).await
                }
            }

            /// An item of a queue whose activity is a transaction now waits for a build in which it is none, and is passed
            /// over by those that come later. New calls are not on the queue. It is offered again after a minute, which
            /// passes on virtual time only.
            async fn check_queued(store: Arc<dyn Store>, books: Books) -> Result<(), Failed> {
                let (lab, client) = (Lab::default(), Client::new(store));
                let old = Build {
                    workflow: <old::leaves_its_queue as Workflow>::entry(),
                    children: vec![],
                    activities: vec![$crate::entry!(old::enter)],
                };
                let new = Build {
                    workflow: <new::leaves_its_queue as Workflow>::entry(),
                    children: vec![<new::comes_later as Workflow>::entry()],
                    activities: vec![$crate::entry!(new::enter), $crate::entry!(new::carry)],
                };

                lab.hold("queued", &["enter"]);
                let worker = serve(&client, &old, &lab).await;
                let run = client.start(old::leaves_its_queue()).id("queued").await?;
                let has_begun = |_: &_| lab.has_begun("queued", "enter");
                until(&client, run.run_id(), has_begun).await?;
                worker.shutdown().await?;

                let worker = serve(&client, &new, &lab).await;
                assert_eq!(client.start(new::leaves_its_queue()).await?.result().await?, "wrote 200");
                assert_eq!(client.start(new::comes_later(7)).await?.result().await?, "carried 7");
                let waits = until(&client, run.run_id(), |_| true).await?;
                assert_eq!((waits.status, &*waits.state), (RunStatus::Running, "enter"));
                worker.shutdown().await?;
                let key = ActivityKey { run_id: run.run_id(), handle: Handle(0) };
                let item = client.store().find_activity(key).await?.expect("it waits");
                assert_eq!((item.worker, item.due_at.is_some()), (None, true), "{item:?}");

                assert_eq!(books.entries().await, ["entered"]);
                let Books::Memory(_) = books else { return Ok(()) };
                lab.release();
                let worker = serve(&client, &old, &lab).await;
                assert_eq!(run.result().await?, "entered 200");
                worker.shutdown().await?;
                assert_eq!(books.entries().await, ["entered"]);
                Ok(())
            }
        })*
    };
}

programs!(on_memory, on_sqlite, on_postgres);

/// Makes the edits, and compares the entries: one for each attempt that was a transaction and has returned.
async fn check(store: Arc<dyn Store>, books: Books, edits: Vec<Edit>) -> Result<(), Failed> {
    crate::all_in(store, edits).await?;
    let mut expected = vec!["entered"; 8];
    expected.push("undone 7");
    assert_eq!(books.entries().await, expected);
    Ok(())
}
