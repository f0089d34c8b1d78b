//! Awaits that are added, removed, moved and renamed.

use crate::edits;

edits! {
    "an await is added before the one that the run is at"
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
        at "start" [] [Go(1)] => Goes(r#""charged 7 14 shipped 7 Go(1)""#);
        at "charge" [] [Go(1)] holding ["charge 7"] => Goes(r#""charged 7 14 shipped 7 Go(1)""#);
        at "signal" [] [Go(1)] => Goes(r#""charged 7 14 shipped 7 Go(1)""#);
        at "ship" [Go(1)] [] holding ["ship 7"] => Goes(r#""charged 7 14 shipped 7 Go(1)""#);
    }

    "a saved local is renamed"
    local_renamed {
        old [] {
            #[workflow]
            pub async fn local_renamed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let go = cx.signal::<Go>().await;
                format!("{total} {go:?}")
            }
        }
        new [] {
            #[workflow]
            pub async fn local_renamed(cx: &Context, id: u64) -> String {
                let sum = id * 2;
                let go = cx.signal::<Go>().await;
                format!("{sum} {go:?}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes(r#""14 Go(1)""#);
        at "signal" [] [Go(1)] => Blocked("MissingLocal", "`sum`", r#""14 Go(1)""#);
    }
}
