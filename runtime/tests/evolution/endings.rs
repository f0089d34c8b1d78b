//! Requests to cancel as errors, shields, and compensations in a saved state.

use crate::edits;

edits! {
    "a wait gives a request to cancel as an error"
    cancellation_as_an_error {
        old [] {
            #[workflow]
            pub async fn cancellation_as_an_error(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                cx.sleep(seconds(0)).await;
                format!("{go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn cancellation_as_an_error(cx: &Context) -> String {
                let Ok(Go(go)) = cx.signal::<Go>().or_cancelled().await else {
                    return "cancelled".to_owned();
                };
                cx.sleep(seconds(0)).await;
                format!("{go}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Goes("7");
    }

    "an activity is shielded"
    activity_shielded {
        old [] {
            #[workflow]
            pub async fn activity_shielded(id: u64) -> String {
                charge(id).await
            }
        }
        new [] {
            #[workflow]
            pub async fn activity_shielded(cx: &Context, id: u64) -> String {
                cx.shield(charge(id)).await
            }
        }
        run old(7) new(7);
        at "charge" [] [] holding ["charge 7"] => Goes("charged 7");
    }

    "the number that a noted compensation is called with becomes wider"
    compensation_argument_widened {
        old [undo] {
            #[activity]
            pub async fn undo(cx: &ActivityContext, id: u8) {
                pass(cx, format!("undo {id}")).await;
            }

            #[workflow]
            pub async fn compensation_argument_widened(cx: &Context, id: u64) -> Result<(), String> {
                cx.on_failure(undo(200));
                charge(id).await;
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        new [undo] {
            #[activity]
            pub async fn undo(cx: &ActivityContext, id: u64) {
                assert_eq!(id, 200, "what was noted");
                pass(cx, format!("undo {id}")).await;
            }

            #[workflow]
            pub async fn compensation_argument_widened(cx: &Context, id: u64) -> Result<(), String> {
                cx.on_failure(undo(200));
                charge(id).await;
                let Go(go) = cx.signal::<Go>().await;
                Err(format!("refused {go}"))
            }
        }
        run old(7) new(7);
        at "charge" [] [Go(7)] holding ["charge 7"] => Goes("Err(Failed(\"refused 7\"))");
        at "signal<Go>" [] [Go(7)] => Goes("Err(Failed(\"refused 7\"))");
    }

    "code behind a noted compensation is added while the handle is kept"
    compensation_disarmed_later {
        old [undo] {
            #[activity]
            pub async fn undo(cx: &ActivityContext, id: u64) {
                pass(cx, format!("undo {id}")).await;
            }

            #[workflow]
            pub async fn compensation_disarmed_later(cx: &Context) -> Result<String, String> {
                let noted = cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                noted.disarm(cx);
                Ok(format!("{go}"))
            }
        }
        new [undo] {
            #[activity]
            pub async fn undo(_cx: &ActivityContext, id: u64) {
                panic!("{id} was taken back");
            }

            #[workflow]
            pub async fn compensation_disarmed_later(cx: &Context) -> Result<String, String> {
                let noted = cx.on_failure(undo(1));
                let Go(go) = cx.signal::<Go>().await;
                noted.disarm(cx);
                let charged = charge(u64::from(go)).await;
                Err(format!("{charged} too late"))
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Goes("Err(Failed(\"charged 7 too late\"))");
    }
}
