//! Awaits that are added, removed, moved and renamed.

use crate::edits;

edits! {
    "an await of something else is added before the one that the run is at"
    await_added_before {
        old [] {
            #[workflow]
            pub async fn await_added_before(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                let shipped = ship(id).await;
                format!("{paid} {total} {shipped} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn await_added_before(cx: &Context, id: u64) -> String {
                let total = id * 2;
                note("added".into()).await;
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                let shipped = ship(id).await;
                format!("{paid} {total} {shipped} {go:?}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("charged 7 14 shipped 7 Go(1)");
        at "charge" [] [Go(1)] holding ["charge 7"] => Goes("charged 7 14 shipped 7 Go(1)");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 14 shipped 7 Go(1)");
        at "ship" [Go(1)] [] holding ["ship 7"] => Goes("charged 7 14 shipped 7 Go(1)");
        at "end" [Go(1)] [] => Goes("charged 7 14 shipped 7 Go(1)");
    }

    "an await is added directly before the one that the run is at"
    await_added_directly_before {
        old [] {
            #[workflow]
            pub async fn await_added_directly_before(cx: &Context, id: u64) -> String {
                let paid = charge(id).await;
                let go = cx.signal::<Go>().await;
                format!("{paid} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn await_added_directly_before(cx: &Context, id: u64) -> String {
                let paid = charge(id).await;
                note("added".into()).await;
                let go = cx.signal::<Go>().await;
                format!("{paid} {go:?}")
            }
        }
        run old(7) new(7);
        at "charge" [] [Go(1)] holding ["charge 7"] => Goes("charged 7 Go(1)");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 Go(1)");
    }

    "an await is added after the one that the run is at"
    await_added_after {
        old [] {
            #[workflow]
            pub async fn await_added_after(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                let shipped = ship(id).await;
                format!("{shipped} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn await_added_after(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                let noted = note("added".into()).await;
                let shipped = ship(id).await;
                format!("{noted} {shipped} {go:?}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("noted added shipped 7 Go(1)");
        at "ship" [Go(1)] [] holding ["ship 7"] => Blocked("MissingLocal", "`noted`", "shipped 7 Go(1)");
    }

    "an await before the one that the run is at is removed"
    await_removed_before {
        old [] {
            #[workflow]
            pub async fn await_removed_before(cx: &Context, id: u64) -> String {
                note("old".into()).await;
                let go = cx.signal::<Go>().await;
                format!("{} {go:?}", ship(id).await)
            }
        }
        new [] {
            #[workflow]
            pub async fn await_removed_before(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                format!("{} {go:?}", ship(id).await)
            }
        }
        run old(7) new(7);
        at "note" [] [Go(1)] holding ["note old"] => Blocked("MissingState", "no state of this name", "shipped 7 Go(1)");
        at "signal<Go>" [] [Go(1)] => Goes("shipped 7 Go(1)");
        at "ship" [Go(1)] [] holding ["ship 7"] => Goes("shipped 7 Go(1)");
    }

    "the await that the run is at is removed"
    await_removed {
        old [] {
            #[workflow]
            pub async fn await_removed(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                format!("{} {go:?}", ship(id).await)
            }
        }
        new [] {
            #[workflow]
            pub async fn await_removed(id: u64) -> String {
                ship(id).await
            }
        }
        run old(7) new(7);
        at "start" [] [] => Goes("shipped 7");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingState", "signal<Go>", "shipped 7 Go(1)");
        at "ship" [Go(1)] [] holding ["ship 7"] => Goes("shipped 7");
    }

    "an await moves from after the one that the run is at to before it"
    await_moved {
        old [] {
            #[workflow]
            pub async fn await_moved(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                let shipped = ship(id).await;
                format!("{shipped} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn await_moved(cx: &Context, id: u64) -> String {
                let shipped = ship(id).await;
                let go = cx.signal::<Go>().await;
                format!("{shipped} {go:?}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`shipped`", "shipped 7 Go(1)");
        at "ship" [Go(1)] [Go(2)] holding ["ship 7"] => Goes("shipped 7 Go(2)");
    }

    "an activity that is awaited is renamed"
    callee_renamed {
        old [] {
            #[workflow]
            pub async fn callee_renamed(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                format!("{} {go:?}", ship(id).await)
            }
        }
        new [] {
            #[workflow]
            pub async fn callee_renamed(cx: &Context, id: u64) -> String {
                let go = cx.signal::<Go>().await;
                format!("{} {go:?}", charge(id).await)
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 Go(1)");
        at "ship" [Go(1)] [] holding ["ship 7"] => Blocked("MissingState", "`ship`", "shipped 7 Go(1)");
    }

    "an activity is renamed in Rust and keeps its stored name"
    callee_renamed_in_rust_alone {
        old [] {
            #[workflow]
            pub async fn callee_renamed_in_rust_alone(id: u64) -> String {
                #[state("shipping")]
                ship(id).await
            }
        }
        new [deliver] {
            #[activity(name = "ship")]
            pub async fn deliver(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("deliver {id}")).await;
                format!("delivered {id}")
            }

            #[workflow]
            pub async fn callee_renamed_in_rust_alone(id: u64) -> String {
                #[state("shipping")]
                deliver(id).await
            }
        }
        run old(7) new(7);
        at "shipping" [] [] holding ["ship 7"] => Goes("delivered 7");
    }

    "a state of a given name awaits another activity"
    pinned_state_awaits_something_else {
        old [] {
            #[workflow]
            pub async fn pinned_state_awaits_something_else(id: u64) -> String {
                #[state("it")]
                ship(id).await
            }
        }
        new [] {
            #[workflow]
            pub async fn pinned_state_awaits_something_else(id: u64) -> String {
                #[state("it")]
                charge(id).await
            }
        }
        run old(7) new(7);
        at "it" [] [] holding ["ship 7"] => Blocked("OtherOperation", "the activity `ship`", "shipped 7");
    }

    "an activity becomes a workflow of its name"
    activity_becomes_a_workflow {
        old [] {
            #[workflow]
            pub async fn activity_becomes_a_workflow(id: u64) -> String {
                ship(id).await
            }
        }
        new [] {
            #[workflow]
            pub async fn ship(id: u64) -> String {
                charge(id).await
            }

            #[workflow]
            pub async fn activity_becomes_a_workflow(id: u64) -> String {
                ship(id).await
            }
        }
        run old(7) new(7);
        at "ship" [] [] holding ["ship 7"] => Blocked("OtherOperation", "the activity `ship`", "shipped 7");
    }

    "the wait moves into a condition"
    await_moved_into_a_condition {
        old [] {
            #[workflow]
            pub async fn await_moved_into_a_condition(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{id} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn await_moved_into_a_condition(cx: &Context, id: u64) -> String {
                if id > 5 {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("{id} {go}");
                }
                "small".to_owned()
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("7 1");
    }

    "the wait moves into a loop"
    await_moved_into_a_loop {
        old [] {
            #[workflow]
            pub async fn await_moved_into_a_loop(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                format!("{go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn await_moved_into_a_loop(cx: &Context) -> String {
                loop {
                    let Go(go) = cx.signal::<Go>().await;
                    if go > 1 {
                        return format!("{go}");
                    }
                }
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1), Go(2)] => Goes("2");
    }

    "the run waits for another signal"
    other_signal {
        old [] {
            #[workflow]
            pub async fn other_signal(cx: &Context) -> String {
                format!("{:?}", cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn other_signal(cx: &Context) -> String {
                format!("{:?}", cx.signal::<Halt>().await)
            }
        }
        run old() new();
        at "start" [] [Halt(1)] => Goes("Halt(1)");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingState", "signal<Go>", "Go(1)");
    }

    "names of types, comments and the layout of the source change"
    nothing_but_the_layout {
        old [] {
            #[workflow]
            pub async fn nothing_but_the_layout(cx: &Context, id: u64) -> String {
                let total: u64 = id * 2;
                let go = cx.signal::<Go>().await;
                format!("{total} {go:?}")
            }
        }
        new [] {
            type Number = u64;

            #[workflow]
            pub async fn nothing_but_the_layout(cx: &Context, id: Number) -> String {
                // It is twice as much.
                let total: Number = id
                    * 2;
                let go = cx
                    .signal::<Go>()
                    .await;
                format!("{total} {go:?}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("14 Go(1)");
        at "signal<Go>" [] [Go(1)] => Goes("14 Go(1)");
    }

    "the return type changes"
    return_type {
        old [] {
            #[workflow]
            pub async fn return_type(cx: &Context, id: u64) -> String {
                format!("{id} {:?}", cx.signal::<Go>().await)
            }
        }
        new [] {
            #[workflow]
            pub async fn return_type(cx: &Context, id: u64) -> u64 {
                let Go(go) = cx.signal::<Go>().await;
                id * 10 + u64::from(go)
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("71");
        at "signal<Go>" [] [Go(1)] => Goes("71");
    }

    "the workflow may fail from now on, and `?` is added"
    question_mark_added {
        old [] {
            #[workflow]
            pub async fn question_mark_added(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let audited = audit(id).await;
                format!("{go} {audited:?}").replace('"', "'")
            }
        }
        new [] {
            #[workflow]
            pub async fn question_mark_added(cx: &Context, id: u64) -> piton::Result<String> {
                let Go(go) = cx.signal::<Go>().await;
                let audited = audit(id).await?;
                Ok(format!("{go} {audited}"))
            }
        }
        run old(8) new(8);
        at "signal<Go>" [] [Go(1)] => Goes("1 audited 8");
        at "audit" [Go(1)] [] holding ["audit 8"] => Goes("1 audited 8");
    }

    "a run continues in the new build, and then in the old one again"
    forward_and_back {
        old [] {
            #[workflow]
            pub async fn forward_and_back(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("{id} {go} {halt}")
            }
        }
        new [] {
            #[workflow]
            pub async fn forward_and_back(cx: &Context, id: u64) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let noted = note("new".into()).await;
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("{noted} {id} {go} {halt}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] back [Halt(2)] => Back("signal<Halt>", "7 1 2");
        at "signal<Halt>" [Go(1)] [Halt(2)] => Blocked("MissingLocal", "`noted`", "7 1 2");
    }
}
