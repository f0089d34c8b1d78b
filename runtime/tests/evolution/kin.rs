//! Children and promises that a saved state holds or awaits.

use crate::edits;

edits! {
    "an await is added while the handle of a child is kept"
    child_kept {
        old [] {
            #[workflow(name = "child_kept.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn child_kept(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", invoice.await.unwrap_or_default())
            }
        }
        new [] {
            #[workflow(name = "child_kept.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn child_kept(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                let Go(go) = cx.signal::<Go>().await;
                let noted = note("beside".into()).await;
                format!("{go} {noted} {}", invoice.await.unwrap_or_default())
            }
        }
        run old() new();
        children old [] new [bill];
        at "signal<Go>" [] [Go(1)] => Goes("1 noted beside payer 1");
        at "invoice" [Go(1)] [] => Blocked("MissingLocal", "noted", "1 payer 1");
    }

    "handles of children are kept in a list, and the code that awaits them changes"
    children_kept {
        old [] {
            #[workflow(name = "children_kept.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn children_kept(cx: &Context) -> String {
                let invoices = vec![cx.start_child(bill(1)), cx.start_child(bill(2))];
                let Go(_) = cx.signal::<Go>().await;
                let mut paid = Vec::new();
                for invoice in invoices {
                    paid.push(invoice.await.unwrap_or_default());
                }
                paid.join(", ")
            }
        }
        new [] {
            #[workflow(name = "children_kept.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn children_kept(cx: &Context) -> String {
                let invoices = vec![cx.start_child(bill(1)), cx.start_child(bill(2))];
                let Go(go) = cx.signal::<Go>().await;
                let mut paid = vec![go.to_string()];
                for invoice in invoices.into_iter().rev() {
                    paid.push(invoice.await.unwrap_or_default());
                }
                paid.join(", ")
            }
        }
        run old() new();
        children old [] new [bill];
        at "signal<Go>" [] [Go(7)] => Goes("7, payer 2, payer 1");
    }

    "the wait for a child keeps its handle from now on"
    child_handle_kept {
        old [] {
            #[workflow(name = "child_handle_kept.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn child_handle_kept(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                invoice.await.unwrap_or_default()
            }
        }
        new [] {
            #[workflow(name = "child_handle_kept.bill")]
            pub async fn bill(id: u64) -> String {
                payer(id).await
            }

            #[workflow]
            pub async fn child_handle_kept(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                invoice.result().await.unwrap_or_default()
            }
        }
        run old() new();
        children old [] new [bill];
        at "invoice" [] [] => Goes("payer 1");
    }

    "the result of a child is widened while it is awaited"
    child_result_widened {
        old [] {
            #[workflow(name = "child_result_widened.bill")]
            pub async fn bill(id: u64) -> u8 {
                payer(id).await.len() as u8
            }

            #[workflow]
            pub async fn child_result_widened(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                format!("{:?}", invoice.await.ok())
            }
        }
        new [] {
            #[workflow(name = "child_result_widened.bill")]
            pub async fn bill(id: u64) -> u64 {
                payer(id).await.len() as u64 + 300
            }

            #[workflow]
            pub async fn child_result_widened(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                format!("{:?}", invoice.await.ok())
            }
        }
        run old() new();
        children old [] new [bill];
        at "invoice" [] [] => Goes("Some(307)");
    }

    "the result of a child that has ended is widened before it is awaited"
    ended_child_widened {
        old [] {
            #[workflow(name = "ended_child_widened.bill")]
            pub async fn bill(id: u64) -> u8 {
                id as u8
            }

            #[workflow]
            pub async fn ended_child_widened(cx: &Context) -> String {
                let invoice = cx.start_child(bill(200));
                let _ = invoice.result().await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", invoice.await.ok())
            }
        }
        new [] {
            #[workflow(name = "ended_child_widened.bill")]
            pub async fn bill(id: u64) -> u64 {
                id + 300
            }

            #[workflow]
            pub async fn ended_child_widened(cx: &Context) -> String {
                let invoice = cx.start_child(bill(200));
                let _ = invoice.result().await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", invoice.await.ok())
            }
        }
        run old() new();
        children old [bill] new [];
        at "signal<Go>" [] [Go(7)] => Goes("7 Some(200)");
    }

    "the result type of a child no longer accepts the returned value"
    child_result_unreadable {
        old [] {
            #[workflow(name = "child_result_unreadable.bill")]
            pub async fn bill(id: u64) -> String {
                format!("bill {id}")
            }

            #[workflow]
            pub async fn child_result_unreadable(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                let _ = invoice.result().await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", invoice.await.ok())
            }
        }
        new [] {
            #[workflow(name = "child_result_unreadable.bill")]
            pub async fn bill(id: u64) -> u64 {
                id
            }

            #[workflow]
            pub async fn child_result_unreadable(cx: &Context) -> String {
                let invoice = cx.start_child(bill(1));
                let _ = invoice.result().await;
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", invoice.await.ok())
            }
        }
        run old() new();
        children old [bill] new [];
        at "signal<Go>" [] [Go(7)] => Held("u64", "7 Some(\\\"bill 1\\\")");
    }

    "code is added behind a promise that is awaited, and the name of the promise changes"
    promise_awaited {
        old [] {
            #[workflow]
            pub async fn promise_awaited(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                let outcome = approval.await;
                format!("{:?}", outcome.ok())
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_awaited(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("consent");
                let outcome = approval.await;
                format!("{:?} {}", outcome.ok(), note("after".into()).await)
            }
        }
        run old() new();
        at "approval" [] [] resolving [promise_awaited, "approval", 200u8]
            => Goes("Some(200) noted after");
    }

    "the outcome of a promise that is awaited is widened"
    promise_widened {
        old [] {
            #[workflow]
            pub async fn promise_widened(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                format!("{:?}", approval.await.ok())
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_widened(cx: &Context) -> String {
                let approval: Promise<u64> = cx.promise("approval");
                format!("{:?}", approval.await.ok())
            }
        }
        run old() new();
        at "approval" [] [] resolving [promise_widened, "approval", 300u64] => Goes("Some(300)");
    }

    "the outcome of a promise that was completed before it is awaited is widened"
    completed_promise_widened {
        old [] {
            /// What the promise is resolved with.
            type Outcome = u8;

            #[workflow]
            pub async fn completed_promise_widened(cx: &Context) -> String {
                let approval: Promise<Outcome> = cx.promise("approval");
                cx.complete_promise::<Outcome, piton::machine::Never>(&approval.token(), Ok(200));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        new [] {
            /// What the promise is resolved with.
            type Outcome = u64;

            #[workflow]
            pub async fn completed_promise_widened(cx: &Context) -> String {
                let approval: Promise<Outcome> = cx.promise("approval");
                cx.complete_promise::<Outcome, piton::machine::Never>(&approval.token(), Ok(300));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Goes("7 Some(200)");
    }

    "the outcome type of a promise no longer accepts its outcome"
    promise_unreadable {
        old [] {
            /// What the promise is resolved with.
            type Outcome = String;

            #[workflow]
            pub async fn promise_unreadable(cx: &Context) -> String {
                let approval: Promise<Outcome> = cx.promise("approval");
                let token = approval.token();
                cx.complete_promise::<Outcome, piton::machine::Never>(&token, Ok("yes".to_owned()));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        new [] {
            /// What the promise is resolved with.
            type Outcome = u64;

            #[workflow]
            pub async fn promise_unreadable(cx: &Context) -> String {
                let approval: Promise<Outcome> = cx.promise("approval");
                let token = approval.token();
                cx.complete_promise::<Outcome, piton::machine::Never>(&token, Ok(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {:?}", approval.await.ok())
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] => Held("u64", "7 Some(\\\"yes\\\")");
    }

    "code is added behind an item of a queue, and the result of its activity is widened while it is attempted"
    item_awaited {
        old [mail] {
            #[activity(queue = "desk", key = "{to}")]
            pub async fn mail(cx: &ActivityContext, to: String) -> u8 {
                let _ = to;
                pass(cx, "mail".into()).await;
                200
            }

            #[workflow]
            pub async fn item_awaited(cx: &Context) -> String {
                let sent = mail(cx.workflow_id().to_owned()).await;
                format!("{sent:?}")
            }
        }
        new [mail] {
            #[activity(queue = "desk", key = "{to}")]
            pub async fn mail(cx: &ActivityContext, to: String) -> u64 {
                let _ = to;
                pass(cx, "mail".into()).await;
                300
            }

            #[workflow]
            pub async fn item_awaited(cx: &Context) -> String {
                let sent = mail(cx.workflow_id().to_owned()).await;
                format!("{sent:?} {}", note("after".into()).await)
            }
        }
        run old() new();
        at "mail" [] [] holding ["mail"] => Goes("300 noted after");
    }

    "the wait for a promise gets a time limit"
    promise_gets_a_limit {
        old [] {
            #[workflow]
            pub async fn promise_gets_a_limit(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                format!("{:?}", approval.await.ok())
            }
        }
        new [] {
            #[workflow]
            pub async fn promise_gets_a_limit(cx: &Context) -> String {
                let approval: Promise<u8> = cx.promise("approval");
                format!("{:?}", approval.timeout(hours(1)).await.and_then(Result::ok))
            }
        }
        run old() new();
        at "approval" [] [] resolving [promise_gets_a_limit, "approval", 200u8]
            => Blocked("OtherOperation", "with a time limit", "Some(200)");
    }

    "the result of a spawned call is widened while it is held"
    spawned_widened {
        old [weight] {
            #[activity]
            pub async fn weight(cx: &ActivityContext, id: u64) -> u8 {
                pass(cx, format!("weight {id}")).await;
                id as u8
            }

            #[workflow]
            pub async fn spawned_widened(cx: &Context) -> String {
                let weight = cx.spawn(weight(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", weight.await)
            }
        }
        new [weight] {
            #[activity]
            pub async fn weight(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weight {id}")).await;
                id + 300
            }

            #[workflow]
            pub async fn spawned_widened(cx: &Context) -> String {
                let weight = cx.spawn(weight(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", weight.await)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] holding ["weight 1"] => Goes("7 301");
    }

    "the handle of a spawned call is dropped in code that follows"
    spawned_and_dropped {
        old [] {
            #[workflow]
            pub async fn spawned_and_dropped(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                format!("{go} {}", paid.await)
            }
        }
        new [] {
            #[workflow]
            pub async fn spawned_and_dropped(cx: &Context) -> String {
                let paid = cx.spawn(payer(1));
                let Go(go) = cx.signal::<Go>().await;
                drop(paid);
                format!("{go} {}", note("alone".into()).await)
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(7)] holding ["payer 1"] => Goes("7 noted alone");
    }

    "the results of a `cx.map` are widened while some of them are kept"
    map_results_widened {
        old [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u8 {
                pass(cx, format!("weigh {id}")).await;
                id as u8
            }

            #[workflow]
            pub async fn map_results_widened(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], |id| weigh(id)).await;
                format!("{weights:?}")
            }
        }
        new [weigh] {
            #[activity]
            pub async fn weigh(cx: &ActivityContext, id: u64) -> u64 {
                pass(cx, format!("weigh {id}")).await;
                id + 300
            }

            #[workflow]
            pub async fn map_results_widened(cx: &Context) -> String {
                let weights = cx.map(vec![1, 2], |id| weigh(id)).await;
                format!("{weights:?}")
            }
        }
        run old() new();
        at "map" [] [] holding ["weigh 2"] => Goes("[1, 302]");
    }
}
