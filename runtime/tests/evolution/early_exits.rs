//! Awaits in statements that leave the block early, and behind them.

use crate::edits;

edits! {
    "the condition of a guard that awaits and returns is inverted, and the code behind it changes places with the guard's"
    guard_inverted {
        old [] {
            #[workflow]
            pub async fn guard_inverted(cx: &Context, price: u64) -> String {
                if price > 100 {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("rich {go}");
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("poor {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn guard_inverted(cx: &Context, price: u64) -> String {
                if price <= 100 {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("poor {go}");
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("rich {go}")
            }
        }
        run old(200) new(200);
        at "signal<Go>" [] [Go(7)] => Blocked("AmbiguousState", "`signal<Go>`", "rich 7");
    }

    "the await behind a guard that awaits and returns becomes that of the inverted guard"
    behind_guard_inverted {
        old [] {
            #[workflow]
            pub async fn behind_guard_inverted(cx: &Context, price: u64) -> String {
                if price < 100 {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("poor {go}");
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("rich {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn behind_guard_inverted(cx: &Context, price: u64) -> String {
                if price >= 100 {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("rich {go}");
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("poor {go}")
            }
        }
        run old(200) new(200);
        at "signal<Go>#2" [] [Go(7)] => Blocked("AmbiguousState", "`signal<Go>`", "rich 7");
    }

    "a `let … else` whose `else` awaits becomes an `if let` that awaits and returns"
    let_else_to_if_let {
        old [] {
            #[workflow]
            pub async fn let_else_to_if_let(cx: &Context, price: u64) -> String {
                let found = if price > 100 { Some(price) } else { None };
                let Some(found) = found else {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("none {go}");
                };
                let Go(go) = cx.signal::<Go>().await;
                format!("{found} {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn let_else_to_if_let(cx: &Context, price: u64) -> String {
                let found = if price > 100 { Some(price) } else { None };
                if let Some(found) = found {
                    let Go(go) = cx.signal::<Go>().await;
                    return format!("{found} {go}");
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("none {go}")
            }
        }
        run old(200) new(200);
        at "signal<Go>#2" [] [Go(7)] => Blocked("AmbiguousState", "`signal<Go>`", "200 7");
    }

    "an arm of a `match` that awaits and returns exchanges its place with the code behind the `match`"
    arm_exchanged {
        old [] {
            #[workflow]
            pub async fn arm_exchanged(cx: &Context, price: u64) -> String {
                match price > 100 {
                    true => {
                        let Go(go) = cx.signal::<Go>().await;
                        return format!("rich {go}");
                    }
                    false => {}
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("poor {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn arm_exchanged(cx: &Context, price: u64) -> String {
                match price > 100 {
                    false => {
                        let Go(go) = cx.signal::<Go>().await;
                        return format!("poor {go}");
                    }
                    true => {}
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("rich {go}")
            }
        }
        run old(200) new(200);
        at "signal<Go>" [] [Go(7)] => Blocked("AmbiguousState", "`signal<Go>`", "rich 7");
    }

    "a guard that calls an activity and continues a loop is inverted"
    continue_inverted {
        old [] {
            #[workflow]
            pub async fn continue_inverted(price: u64) -> String {
                let mut text = String::new();
                for amount in [price, 7] {
                    if amount > 100 {
                        text.push_str(&charge(amount).await);
                        continue;
                    }
                    text.push_str(&charge(amount).await);
                    text.push_str(" is poor");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn continue_inverted(price: u64) -> String {
                let mut text = String::new();
                for amount in [price, 7] {
                    if amount <= 100 {
                        text.push_str(&charge(amount).await);
                        text.push_str(" is poor");
                        continue;
                    }
                    text.push_str(&charge(amount).await);
                }
                text
            }
        }
        run old(200) new(200);
        at "charge" [] [] holding ["charge 200"] => Blocked("AmbiguousState", "`charge`", "charged 200charged 7 is poor");
    }

    "another guard with an await is added before one"
    guard_added {
        old [] {
            #[workflow]
            pub async fn guard_added(cx: &Context, price: u64) -> String {
                if price > 1000 {
                    return note("rich".to_owned()).await;
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("poor {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn guard_added(cx: &Context, price: u64) -> String {
                if price > 10_000 {
                    return note("richer".to_owned()).await;
                }
                if price > 500 {
                    return charge(price).await;
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("poor {go}")
            }
        }
        run old(200) new(200);
        at "signal<Go>" [] [Go(7)] => Goes("poor 7");
    }

    "the condition of a guard that awaits and fails is inverted"
    failing_guard_inverted {
        old [] {
            #[workflow]
            pub async fn failing_guard_inverted(cx: &Context, price: u64) -> Result<String, String> {
                if price > 100 {
                    let Go(go) = cx.signal::<Go>().await;
                    Err(format!("rich {go}"))?;
                }
                let Go(go) = cx.signal::<Go>().await;
                Ok(format!("poor {go}"))
            }
        }
        new [] {
            #[workflow]
            pub async fn failing_guard_inverted(cx: &Context, price: u64) -> Result<String, String> {
                if price <= 100 {
                    let Go(go) = cx.signal::<Go>().await;
                    Err(format!("poor {go}"))?;
                }
                let Go(go) = cx.signal::<Go>().await;
                Ok(format!("rich {go}"))
            }
        }
        run old(20) new(20);
        at "signal<Go>#2" [] [Go(7)] => Blocked("AmbiguousState", "`signal<Go>`", "poor 7");
    }

    "the condition of a guard in a guard is inverted"
    nested_guard_inverted {
        old [] {
            #[workflow]
            pub async fn nested_guard_inverted(cx: &Context, price: u64) -> String {
                if price > 100 {
                    if price > 150 {
                        let Go(go) = cx.signal::<Go>().await;
                        return format!("rich {go}");
                    }
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("poor {go}")
            }
        }
        new [] {
            #[workflow]
            pub async fn nested_guard_inverted(cx: &Context, price: u64) -> String {
                if price > 100 {
                    if price <= 150 {
                        let Go(go) = cx.signal::<Go>().await;
                        return format!("poor {go}");
                    }
                }
                let Go(go) = cx.signal::<Go>().await;
                format!("rich {go}")
            }
        }
        run old(200) new(200);
        at "signal<Go>" [] [Go(7)] => Blocked("AmbiguousState", "`signal<Go>`", "rich 7");
    }
}
