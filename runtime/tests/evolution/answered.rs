//! Updates that are unread, held or answered when their types change, and queried variables.

use crate::edits;

edits! {
    "an unread update has its fields sorted, and one of them is widened"
    unread_update_reordered {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "UnreadReordered", reply = u8)]
            pub struct Ask {
                pub from: u8,
                pub to: u8,
            }

            #[workflow]
            pub async fn unread_update_reordered(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let ask = cx.update::<Ask>().await;
                let text = format!("{go} {} {}", ask.from, ask.to);
                ask.reply(1);
                text
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "UnreadReordered", reply = u64)]
            pub struct Ask {
                pub to: u64,
                pub from: u8,
            }

            #[workflow]
            pub async fn unread_update_reordered(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let ask = cx.update::<Ask>().await;
                let text = format!("{go} {} {}", ask.from, ask.to);
                ask.reply(300);
                text
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] asking [old::Ask { from: 1, to: 2 }] => Goes("7 1 2");
    }

    "the type of an unread update no longer takes it"
    unread_update_unreadable {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "UnreadUnreadable", reply = u8)]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn unread_update_unreadable(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let ask = cx.update::<Ask>().await;
                let text = format!("{go} {}", ask.number);
                ask.reply(1);
                text
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "UnreadUnreadable", reply = u8)]
            pub struct Ask {
                pub count: u8,
            }

            #[workflow]
            pub async fn unread_update_unreadable(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let ask = cx.update::<Ask>().await;
                let text = format!("{go} {}", ask.count);
                ask.reply(1);
                text
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] asking [old::Ask { number: 1 }] => Blocked("", "count", "7 1");
    }

    "the type of a held request no longer takes it"
    held_request_unreadable {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "HeldUnreadable")]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn held_request_unreadable(cx: &Context) -> String {
                let ask = cx.update::<Ask>().await;
                let Go(go) = cx.signal::<Go>().await;
                let text = format!("{go} {}", ask.number);
                ask.reply(());
                text
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "HeldUnreadable")]
            pub struct Ask {
                pub number: String,
            }

            #[workflow]
            pub async fn held_request_unreadable(cx: &Context) -> String {
                let ask = cx.update::<Ask>().await;
                let Go(go) = cx.signal::<Go>().await;
                let text = format!("{go} {}", ask.number);
                ask.reply(());
                text
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] asking [old::Ask { number: 1 }] => Blocked("Unreadable", "`ask`", "7 1");
    }

    "the reply of a held request gets another type and an error"
    held_reply_retyped {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "HeldReply", reply = u8)]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn held_reply_retyped(cx: &Context) -> String {
                let (ask, answer) = cx.update::<Ask>().await.into_parts();
                let Go(go) = cx.signal::<Go>().await;
                answer.reply(ask.number);
                format!("{go} {}", ask.number)
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "HeldReply", reply = String, error = String)]
            pub struct Ask {
                pub number: u64,
            }

            #[workflow]
            pub async fn held_reply_retyped(cx: &Context) -> String {
                let (ask, answer) = cx.update::<Ask>().await.into_parts();
                let Go(go) = cx.signal::<Go>().await;
                answer.refuse("no".to_owned());
                format!("{go} {}", ask.number)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] asking [old::Ask { number: 1 }] => Goes("7 1");
    }

    "a variable that holds a request holds one of another update now"
    request_of_another {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "OfOne")]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn request_of_another(cx: &Context) -> String {
                let ask = cx.update::<Ask>().await;
                let Go(go) = cx.signal::<Go>().await;
                let text = format!("{go} {}", ask.number);
                ask.reply(());
                text
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "OfAnother")]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn request_of_another(cx: &Context) -> String {
                let ask = cx.update::<Ask>().await;
                let Go(go) = cx.signal::<Go>().await;
                let text = format!("{go} {}", ask.number);
                ask.reply(());
                text
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] asking [old::Ask { number: 1 }] => Blocked("Unreadable", "`ask`", "7 1");
    }

    "an exposed variable that is queried is renamed, and states its old name"
    exposed_renamed {
        old [] {
            #[workflow]
            pub async fn exposed_renamed(cx: &Context, id: u64) -> String {
                #[expose]
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            }

            #[query(exposed_renamed)]
            pub fn shown(total: &u64) -> String {
                total.to_string()
            }
        }
        new [] {
            #[workflow]
            pub async fn exposed_renamed(cx: &Context, id: u64) -> String {
                #[expose]
                #[formerly("total")]
                let sum = u128::from(id * 3);
                let Go(go) = cx.signal::<Go>().await;
                format!("{sum} {go}")
            }

            #[query(exposed_renamed)]
            pub fn shown(sum: &u128) -> String {
                sum.to_string()
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] => Goes("14 1");
    }

    "a wait for an update gets a time limit, and the variable that its validator reads is no longer exposed"
    update_gets_a_limit {
        old [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "Limited")]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn update_gets_a_limit(cx: &Context, id: u64) -> String {
                #[expose]
                let most = id;
                cx.signal::<Go>().await;
                let ask = cx.update::<Ask>().await;
                let text = format!("{most} {}", ask.number);
                ask.reply(());
                text
            }

            #[validator(update_gets_a_limit)]
            pub fn fits(ask: &Ask, most: &u64) -> Result<(), piton::machine::Never> {
                let _ = (ask, most);
                Ok(())
            }
        }
        new [] {
            #[derive(Update, Serialize, Deserialize)]
            #[update(name = "Limited")]
            pub struct Ask {
                pub number: u8,
            }

            #[workflow]
            pub async fn update_gets_a_limit(cx: &Context, id: u64) -> String {
                let most = id;
                cx.signal::<Go>().await;
                let Some(ask) = cx.update::<Ask>().timeout(hours(1)).await else {
                    return "late".to_owned();
                };
                let text = format!("{most} {}", ask.number);
                ask.reply(());
                text
            }
        }
        run old(7) new(7);
        at "signal<Go>" [] [Go(1)] asking [old::Ask { number: 1 }] => Goes("7 1");
    }
}
