//! Noted compensations whose activities and types change, and requests to cancel.

use crate::edits;

edits! {
    "a noted compensation gets other parameters, one of them with a default"
    compensation_reordered {
        old [undo] {
            #[derive(Serialize, Deserialize)]
            pub struct Paid {
                pub from: u64,
                pub to: u64,
            }

            #[activity(name = "compensation_reordered.undo")]
            pub async fn undo(cx: &ActivityContext, paid: Paid, why: String) {
                pass(cx, format!("undo {} {} {why}", paid.from, paid.to)).await;
            }

            #[workflow]
            pub async fn compensation_reordered(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo(Paid { from: 1, to: 2 }, "late".to_owned()));
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        new [undo] {
            #[derive(Serialize, Deserialize)]
            pub struct Paid {
                pub to: u64,
                #[serde(default)]
                pub fee: u64,
                pub from: u64,
            }

            #[activity(name = "compensation_reordered.undo")]
            pub async fn undo(why: String, paid: Paid) {
                assert_eq!((paid.from, paid.to, paid.fee, &*why), (1, 2, 0, "late"));
            }

            #[workflow]
            pub async fn compensation_reordered(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo("late".to_owned(), Paid { from: 3, to: 4, fee: 5 }));
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Goes("Err(Failed(\"refused 7\"))");
    }

    "a compensation is noted before the wait from now on"
    compensation_added {
        old [] {
            #[workflow]
            pub async fn compensation_added(cx: &Context) -> Result<(), String> {
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        new [undo] {
            #[activity(name = "compensation_added.undo", retry(max_attempts = 1))]
            pub async fn undo(id: u64) -> Result<(), String> {
                Err(format!("cannot undo {id}"))
            }

            #[workflow]
            pub async fn compensation_added(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Goes("Err(Failed(\"refused 7\"))");
    }

    "a compensation is no longer noted"
    compensation_removed {
        old [undo] {
            #[activity(name = "compensation_removed.undo", retry(max_attempts = 1))]
            pub async fn undo(id: u64) -> Result<(), String> {
                Err(format!("cannot undo {id}"))
            }

            #[workflow]
            pub async fn compensation_removed(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        new [undo] {
            #[activity(name = "compensation_removed.undo")]
            pub async fn undo(id: u64) {
                let _ = id;
            }

            #[workflow]
            pub async fn compensation_removed(cx: &Context) -> Result<(), String> {
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        run old() new();
        at "start" [] [Go(7)] => Goes("Err(Failed(\"refused 7\"))");
        at "signal<Go>" [] [Go(7)] => Goes("Err(Failed(\"refused 7\"))");
    }

    "a compensation that is being made gets another result type"
    compensation_under_way {
        old [undo] {
            #[activity(name = "compensation_under_way.undo")]
            pub async fn undo(cx: &ActivityContext, id: u8) -> u8 {
                pass(cx, format!("undo {id}")).await;
                id
            }

            #[workflow]
            pub async fn compensation_under_way(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        new [undo] {
            #[activity(name = "compensation_under_way.undo", retry(max_attempts = 1))]
            pub async fn undo(cx: &ActivityContext, id: u64) -> Result<String, u64> {
                pass(cx, format!("undo {id}")).await;
                Ok(id.to_string())
            }

            #[workflow]
            pub async fn compensation_under_way(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("declined {go}"))
            }
        }
        run old() new();
        at "signal<Go>" [Go(7)] [] holding ["undo 1"] => Goes("Err(Failed(\"refused 7\"))");
    }

    "two compensations are noted in the other order"
    compensations_exchanged {
        old [undo, release] {
            #[activity(name = "compensations_exchanged.undo", retry(max_attempts = 1))]
            pub async fn undo(id: u64) -> Result<(), String> {
                Err(format!("no undo {id}"))
            }

            #[activity(name = "compensations_exchanged.release", retry(max_attempts = 1))]
            pub async fn release(id: u64) -> Result<(), String> {
                Err(format!("no release {id}"))
            }

            #[workflow]
            pub async fn compensations_exchanged(cx: &Context) -> Result<(), String> {
                cx.on_failure(undo(1));
                let later = cx.on_failure(release(2));
                let Go(go) = cx.signal::<Go>().await;
                later.disarm(cx);
                Err(format!("refused {go}"))
            }
        }
        new [undo, release] {
            #[activity(name = "compensations_exchanged.undo", retry(max_attempts = 1))]
            pub async fn undo(id: u64) -> Result<(), String> {
                if id == 1 { Ok(()) } else { Err(format!("no undo {id}")) }
            }

            #[activity(name = "compensations_exchanged.release")]
            pub async fn release(id: u64) -> Result<(), String> {
                panic!("{id} is disarmed");
            }

            #[workflow]
            pub async fn compensations_exchanged(cx: &Context) -> Result<(), String> {
                let later = cx.on_failure(release(2));
                cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                later.disarm(cx);
                Err(format!("refused {go}"))
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Goes("Err(Failed(\"refused 7\"))");
    }

    "the shield around an activity is taken off"
    shield_taken_off {
        old [] {
            #[workflow]
            pub async fn shield_taken_off(cx: &Context, id: u64) -> String {
                let charged = cx.shield(charge(id)).await;
                format!("{charged}!")
            }
        }
        new [] {
            #[workflow]
            pub async fn shield_taken_off(cx: &Context, id: u64) -> String {
                let _ = cx.run_id();
                charge(id).await
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 7"] => Goes("charged 7");
    }

    "a shielded block gets another await, and a wait for a request to cancel is added beside it"
    shielded_block_grown {
        old [] {
            #[workflow]
            pub async fn shielded_block_grown(cx: &Context, id: u64) -> String {
                cx.shield(async {
                    let kept: u8 = 200;
                    let charged = charge(id).await;
                    format!("{kept} {charged}")
                }).await
            }
        }
        new [] {
            #[workflow]
            pub async fn shielded_block_grown(cx: &Context, id: u64) -> String {
                cx.shield(async {
                    let kept: u64 = 300;
                    let charged = charge(id).await;
                    let noted = note("inside".to_owned()).await;
                    format!("{kept} {charged} {noted}")
                }).await
            }
        }
        run old(7) new(7);
        at "async" [] [] holding ["charge 7"] => Goes("200 charged 7 noted inside");
    }

    "`select!` loses its branch that waits for a request to cancel"
    cancellation_branch_removed {
        old [] {
            #[workflow]
            pub async fn cancellation_branch_removed(cx: &Context) -> String {
                select! {
                    Go(go) = cx.signal::<Go>() => format!("{go}"),
                    _ = cx.cancelled() => "cancelled".to_owned(),
                }
            }
        }
        new [] {
            #[workflow]
            pub async fn cancellation_branch_removed(cx: &Context) -> String {
                match cx.signal::<Go>().or_cancelled().await {
                    Ok(Go(go)) => format!("{go}"),
                    Err(_) => "cancelled".to_owned(),
                }
            }

            #[derive(Deserialize)]
            pub struct Old {}

            #[migrate(workflow = cancellation_branch_removed, from = "select")]
            pub fn migrate_select(_: Old) -> Resume<cancellation_branch_removed> {
                Resume::at_named("signal<Go>")
            }
        }
        run old() new();
        at "select" [] [Go(7)] => Goes("7");
    }
}
