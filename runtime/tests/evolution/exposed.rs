//! Exposed variables, awaited updates, and unanswered updates.

use crate::edits;

edits! {
    "`#[expose]` is put on a variable that the state keeps"
    kept_local_exposed {
        old [] {
            #[workflow]
            pub async fn kept_local_exposed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn kept_local_exposed(cx: &Context, id: u64) -> String {
                #[expose]
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("14 1");
    }

    "`#[expose]` is put on a variable that the state does not keep"
    unkept_local_exposed {
        old [] {
            #[workflow]
            pub async fn unkept_local_exposed(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let text = format!("{total}");
                let Go(go) = cx.signal::<Go>().await;
                format!("{text} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn unkept_local_exposed(cx: &Context, id: u64) -> String {
                #[expose]
                let total = id * 2;
                let text = format!("{total}");
                let Go(go) = cx.signal::<Go>().await;
                format!("{text} {go}")
            }
        }
        run old(7) new(7);
        at "start" [] [Go(1)] => Goes("14 1");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`total`", "14 1");
    }

    "`#[expose]` is taken off"
    expose_taken_off {
        old [] {
            #[workflow]
            pub async fn expose_taken_off(cx: &Context, id: u64) -> String {
                #[expose]
                let total = id * 2;
                let text = format!("{total}");
                let Go(go) = cx.signal::<Go>().await;
                format!("{text} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn expose_taken_off(cx: &Context, id: u64) -> String {
                let total = id * 2;
                let text = format!("{total}");
                let Go(go) = cx.signal::<Go>().await;
                format!("{text} {go}")
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("14 1");
    }

    "a request that waits for its answer gets a field with a default"
    kept_request_grown {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "Grown")]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn kept_request_grown(cx: &Context) -> String {
                let ask = cx.update::<Ask>().await;
                let Go(go) = cx.signal::<Go>().await;
                let number = ask.number;
                ask.reply(());
                format!("{number} {go}")
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "Grown")]
            pub struct Ask {
                #[serde(default)]
                pub times: u8,
                pub number: u64,
            }

            #[workflow]
            pub async fn kept_request_grown(cx: &Context) -> String {
                let ask = cx.update::<Ask>().await;
                let Go(go) = cx.signal::<Go>().await;
                let number = ask.number + u64::from(ask.times);
                ask.reply(());
                format!("{number} {go}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1)] asking [old::Ask { number: 7 }] => Goes("7 1");
    }
}
