//! Handles of children, promises and spawned calls whose types change.

use crate::edits;

edits! {
    "a variable that holds the handle of a child holds that of another workflow now"
    child_of_another {
        old [] {
            #[workflow(name = "child_of_another.bill")]
            pub async fn bill(id: u64) -> String {
                format!("bill {id}")
            }

            #[workflow]
            pub async fn child_of_another(cx: &Context) -> String {
                let paper = cx.start_child(bill(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paper.await.unwrap_or_default())
            }
        }
        new [] {
            #[workflow(name = "child_of_another.receipt")]
            pub async fn receipt(id: u64) -> String {
                format!("receipt {id}")
            }

            #[workflow]
            pub async fn child_of_another(cx: &Context) -> String {
                let paper = cx.start_child(receipt(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paper.await.unwrap_or_default())
            }
        }
        run old() new();
        children old [bill] new [receipt];
        at "signal<Go>" [] [Go(1)] => Blocked("OtherHandle", "child_of_another.bill", "1 bill 1");
    }

    "the workflow of a child whose handle is kept is renamed, and states its old name"
    child_renamed {
        old [] {
            #[workflow(name = "child_renamed.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn child_renamed(cx: &Context) -> String {
                let paper = cx.start_child(bill(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paper.await.unwrap_or_default())
            }
        }
        new [] {
            #[workflow(name = "child_renamed.invoice", formerly = "child_renamed.bill")]
            pub async fn invoice(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn child_renamed(cx: &Context) -> String {
                let paper = cx.start_child(invoice(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paper.await.unwrap_or_default())
            }
        }
        run old() new();
        children old [] new [invoice];
        at "signal<Go>" [] [Go(1)] => Goes("1 payer 1");
        at "paper" [Go(1)] [] => Goes("1 payer 1");
    }

    "the result type of a child whose handle is in a struct in a list no longer accepts the returned value"
    child_in_list_unreadable {
        old [] {
            #[workflow(name = "child_in_list_unreadable.bill")]
            pub async fn bill(id: u64) -> String {
                format!("bill {id}")
            }

            #[derive(Serialize, Deserialize)]
            pub struct Sent {
                bill: ChildHandle<bill>,
            }

            #[workflow]
            pub async fn child_in_list_unreadable(cx: &Context) -> String {
                let paper = cx.start_child(bill(1));
                let _ = paper.result().await;
                let sent = vec![Sent { bill: paper }];
                let Go(go) = cx.signal::<Go>().await;
                let mut all = format!("{go}");
                for Sent { bill } in sent {
                    all.push_str(&format!(" {:?}", bill.await.ok()));
                }
                all
            }
        }
        new [] {
            #[workflow(name = "child_in_list_unreadable.bill")]
            pub async fn bill(id: u64) -> u64 {
                id
            }

            #[derive(Serialize, Deserialize)]
            pub struct Sent {
                bill: ChildHandle<bill>,
            }

            #[workflow]
            pub async fn child_in_list_unreadable(cx: &Context) -> String {
                let paper = cx.start_child(bill(1));
                let _ = paper.result().await;
                let sent = vec![Sent { bill: paper }];
                let Go(go) = cx.signal::<Go>().await;
                let mut all = format!("{go}");
                for Sent { bill } in sent {
                    all.push_str(&format!(" {:?}", bill.await.ok()));
                }
                all
            }
        }
        run old() new();
        children old [bill] new [];
        at "signal<Go>" [] [Go(7)] => Held("u64", "7 Some(\\\"bill 1\\\")");
    }

    "the result type of a spawned call that is under way becomes another one"
    spawned_unreadable {
        old [quote] {
            #[activity(name = "spawned_unreadable.quote")]
            pub async fn quote(cx: &ActivityContext, id: u64) -> String {
                pass(cx, format!("quote {id}")).await;
                format!("quote {id}")
            }

            #[workflow]
            pub async fn spawned_unreadable(cx: &Context) -> String {
                let quote = cx.spawn(quote(1));
                let Go(_) = cx.signal::<Go>().await;
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("{halt} {:?}", quote.await)
            }
        }
        new [quote] {
            #[activity(name = "spawned_unreadable.quote")]
            pub async fn quote(id: u64) -> u64 {
                id
            }

            #[workflow]
            pub async fn spawned_unreadable(cx: &Context) -> String {
                let quote = cx.spawn(quote(1));
                let Go(_) = cx.signal::<Go>().await;
                let Halt(halt) = cx.signal::<Halt>().await;
                format!("{halt} {:?}", quote.await)
            }
        }
        run old() new();
        at "signal<Halt>" [Go(1)] [Halt(7)] holding ["quote 1"] => Goes("7 1");
    }

    "a variable that holds a spawned call holds that of another activity now"
    spawned_of_another {
        old [] {
            #[workflow]
            pub async fn spawned_of_another(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paid.await)
            }
        }
        new [] {
            #[workflow]
            pub async fn spawned_of_another(cx: &Context) -> String {
                let paid = cx.spawn(payee(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paid.await)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] holding ["payer 1"] => Blocked("OtherHandle", "`payer`", "7 payer 1");
    }

    "the variables of two handles that a `join!` awaits exchange their names"
    joined_handles_exchanged {
        old [] {
            #[workflow]
            pub async fn joined_handles_exchanged(cx: &Context) -> String {
                let a = cx.spawn(payer(1));
                let b = cx.spawn(payer(2));
                let (one, two) = join!(a, b);
                format!("one {one} two {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn joined_handles_exchanged(cx: &Context) -> String {
                let b = cx.spawn(payer(1));
                let a = cx.spawn(payer(2));
                let (one, two) = join!(b, a);
                format!("one {one} two {two}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 2"] => Blocked("ExchangedLocal", "`b`", "one payer 1 two payer 2");
    }

    "the operations of two handles that a `join!` awaits change places"
    joined_handles_moved {
        old [] {
            #[workflow]
            pub async fn joined_handles_moved(cx: &Context) -> String {
                let a = cx.spawn(payer(1));
                let b = cx.spawn(payer(2));
                let (one, two) = join!(a, b);
                format!("one {one} two {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn joined_handles_moved(cx: &Context) -> String {
                let a = cx.spawn(payer(2));
                let b = cx.spawn(payer(1));
                let (two, one) = join!(a, b);
                format!("one {one} two {two}")
            }
        }
        run old() new();
        at "join" [] [] holding ["payer 2"] => Blocked("ExchangedLocal", "`a`", "one payer 1 two payer 2");
    }

    "the variables of two handles that are awaited one after the other exchange their names"
    awaited_handles_exchanged {
        old [] {
            #[workflow]
            pub async fn awaited_handles_exchanged(cx: &Context) -> String {
                let a = cx.spawn(payer(1));
                let b = cx.spawn(payer(2));
                let one = a.await;
                let two = b.await;
                format!("one {one} two {two}")
            }
        }
        new [] {
            #[workflow]
            pub async fn awaited_handles_exchanged(cx: &Context) -> String {
                let b = cx.spawn(payer(1));
                let a = cx.spawn(payer(2));
                let one = b.await;
                let two = a.await;
                format!("one {one} two {two}")
            }
        }
        run old() new();
        at "a" [] [] holding ["payer 1"] => Blocked("ExchangedLocal", "`a` is bound now as `b` was", "one payer 1 two payer 2");
    }

    "the arguments of a spawned call change, and another one is spawned before it"
    handle_changed {
        old [] {
            #[workflow]
            pub async fn handle_changed(cx: &Context) -> String {
                let a = cx.spawn(payer(1));
                let one = a.await;
                format!("one {one}")
            }
        }
        new [] {
            #[workflow]
            pub async fn handle_changed(cx: &Context) -> String {
                let b = cx.spawn(payer(1));
                let a = cx.spawn(payer(2));
                let one = a.await;
                let two = b.await;
                format!("one {one} two {two}")
            }
        }
        run old() new();
        at "a" [] [] holding ["payer 1"] => Blocked("MissingLocal", "`b`", "one payer 1");
    }
}
