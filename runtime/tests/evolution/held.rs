//! Handles of calls and promises in other values, and their names, scopes and times.

use crate::edits;

edits! {
    "spawned calls in a list are awaited from the end, and their results are widened"
    spawned_in_a_list {
        old [quote] {
            #[activity(name = "spawned_in_a_list.quote")]
            pub async fn quote(cx: &ActivityContext, id: u8) -> u8 {
                pass(cx, format!("quote {id}")).await;
                id + 100
            }

            #[workflow]
            pub async fn spawned_in_a_list(cx: &Context) -> String {
                let quotes = vec![cx.spawn(quote(1)), cx.spawn(quote(2))];
                let Go(go) = cx.signal::<Go>().await;
                let mut all = format!("{go}");
                for quote in quotes {
                    all.push_str(&format!(" {}", quote.await));
                }
                all
            }
        }
        new [quote] {
            #[activity(name = "spawned_in_a_list.quote")]
            pub async fn quote(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("quote {id}")).await;
                id + 300
            }

            #[workflow]
            pub async fn spawned_in_a_list(cx: &Context) -> String {
                let quotes = vec![cx.spawn(quote(1)), cx.spawn(quote(2))];
                let Go(go) = cx.signal::<Go>().await;
                let mut all = format!("{go}");
                for quote in quotes.into_iter().rev() {
                    all.push_str(&format!(" {}", quote.await));
                }
                all
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] holding ["quote 2"] => Goes("7 302 101");
    }

    "spawned calls in a list become those of another activity"
    spawned_in_a_list_of_another {
        old [] {
            #[workflow]
            pub async fn spawned_in_a_list_of_another(cx: &Context) -> String {
                let paid = vec![cx.spawn(payer(1))];
                let Go(go) = cx.signal::<Go>().await;
                let mut all = format!("{go}");
                for paid in paid {
                    all.push_str(&paid.await);
                }
                all
            }
        }
        new [] {
            #[workflow]
            pub async fn spawned_in_a_list_of_another(cx: &Context) -> String {
                let paid = vec![cx.spawn(payee(1))];
                let Go(go) = cx.signal::<Go>().await;
                let mut all = format!("{go}");
                for paid in paid {
                    all.push_str(&paid.await);
                }
                all
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] holding ["payer 1"] => Blocked("OtherHandle", "`payer`", "7payer 1");
    }

    "a spawned call is awaited in a branch of a `join!` from now on"
    spawned_into_join {
        old [] {
            #[workflow]
            pub async fn spawned_into_join(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paid.await)
            }
        }
        new [] {
            #[workflow]
            pub async fn spawned_into_join(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                let (paid, noted) = join!(paid, note("beside".to_owned()));
                format!("{go} {paid} {noted}")
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] holding ["payer 1"] => Goes("7 payer 1 noted beside");
        at "paid" [Go(7)] [] holding ["payer 1"] => Blocked("MissingState", "paid", "7 payer 1");
    }

    "a call that was awaited is spawned before the wait from now on"
    awaited_to_spawned {
        old [] {
            #[workflow]
            pub async fn awaited_to_spawned(cx: &Context) -> String {
                let Go(go) = cx.signal::<Go>().await;
                let paid = payer(1).await;
                format!("{go} {paid}")
            }
        }
        new [] {
            #[workflow]
            pub async fn awaited_to_spawned(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paid.await)
            }
        }
        run old() new();
        at "start" [] [Go(7)] => Goes("7 payer 1");
        at "signal<Go>" [] [Go(7)] => Blocked("MissingLocal", "`paid`", "7 payer 1");
        at "payer" [Go(7)] [] holding ["payer 1"] => Blocked("MissingState", "payer", "7 payer 1");
    }

    "two handles of spawned calls of one activity exchange their names"
    spawned_exchanged {
        old [] {
            #[workflow]
            pub async fn spawned_exchanged(cx: &Context) -> String {
                let first = cx.spawn(payer(1));
                let second = cx.spawn(payer(2));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {} {}", first.await, second.await)
            }
        }
        new [] {
            #[workflow]
            pub async fn spawned_exchanged(cx: &Context) -> String {
                let second = cx.spawn(payer(1));
                let first = cx.spawn(payer(2));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {} {}", first.await, second.await)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Blocked("ExchangedLocal", "first", "7 payer 1 payer 2");
    }

    "a promise may be rejected from now on"
    promise_gets_an_error {
        old [] {
            #[workflow]
            pub async fn promise_gets_an_error(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                format!("{:?}", approval.await)
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_gets_an_error(cx: &Context) -> String {
                let approval: Promise<u64, String> = cx.promise("approval");
                format!("{:?}", approval.await)
            }
        }
        run old() new();
        at "approval" [] [] resolving [promise_gets_an_error, "approval", 200u8] => Goes("Ok(200)");
    }

    "a saved promise gets another name in its expression"
    promise_renamed_behind {
        old [] {
            #[workflow]
            pub async fn promise_renamed_behind(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_renamed_behind(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("consent");
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        run old() new();
        at "start" [] [Go(7)] resolving [promise_renamed_behind, "consent", 1u8] => Goes("7 Some(1)");
        at "signal<Go>" [] [Go(7)] resolving [promise_renamed_behind, "approval", 2u8] => Goes("7 Some(2)");
    }

    "a saved promise is that of another attempt from now on, and expires"
    promise_of_another_attempt {
        old [] {
            #[workflow]
            pub async fn promise_of_another_attempt(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_of_another_attempt(cx: &Context) -> String {
                let end = cx.now() + hours(1);
                let approval: Promise<u8> = cx.promise("approval").for_attempt(2).expires_at(end);
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] resolving [promise_of_another_attempt, "approval", 2u8] => Goes("7 Some(2)");
    }

    "a promise of the run becomes one that all runs share"
    promise_shared_from_now_on {
        old [] {
            #[workflow]
            pub async fn promise_shared_from_now_on(cx: &Context) -> String {
                let price: Promise<u8> = cx.promise("price");
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", price.await.ok())
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_shared_from_now_on(cx: &Context) -> String {
                let price: Promise<u8> = cx.shared_promise("evolution.price");
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", price.await.ok())
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] resolving [promise_shared_from_now_on, "price", 2u8] => Goes("7 Some(2)");
    }

    "a side effect gets another value and a wider type"
    side_effect_widened {
        old [] {
            #[workflow]
            pub async fn side_effect_widened(cx: &Context) -> String {
                let drawn = cx.side_effect(|| 200_u8);
                let Go(go) = cx.signal::<Go>().await;
                format!("{drawn} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn side_effect_widened(cx: &Context) -> String {
                let drawn = cx.side_effect(|| 300_u64);
                let Go(go) = cx.signal::<Go>().await;
                format!("{drawn} {go}")
            }
        }
        run old() new();
        at "start" [] [Go(7)] => Goes("300 7");
        at "signal<Go>" [] [Go(7)] => Goes("200 7");
    }

    "a token of a promise that was sent is made again from now on"
    token_kept {
        old [] {
            #[workflow]
            pub async fn token_kept(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                let token = approval.token();
                note(token.name().to_owned()).await;
                format!("{:?} {}", approval.await.ok(), token.name())
            }
        }
        new [] {
            #[workflow]
            pub async fn token_kept(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                note(approval.token().name().to_owned()).await;
                let token = approval.token();
                format!("{:?} {}", approval.await.ok(), token.name())
            }
        }
        run old() new();
        at "note" [] [] resolving [token_kept, "approval", 2u8] holding ["note approval"] => Goes("Some(2) approval");
    }
}
