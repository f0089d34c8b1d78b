//! A subscription: months that are paid for, a plan that signals change, an end by cancellation.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Plan {
    Free,
    Basic { cents: i64 },
    Pro { cents: i64, seats: i64 },
}

impl Plan {
    const fn price(self) -> i64 {
        match self {
            Self::Free => 0,
            Self::Basic { cents } => cents,
            Self::Pro { cents, seats } => cents * seats,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Books {
    paid: Vec<(u32, i64)>,
    failed: u8,
    notes: Option<Vec<String>>,
}

#[workflow]
async fn month(cx: &Context, plan: Plan, number: u32) -> Result<(Plan, Option<i64>), String> {
    let mut plan = plan;
    let mut left = days(30);
    let mut changes = 0;
    while !left.is_zero() {
        let slice = left.min(days(10));
        select! {
            Bump(seats) = cx.signal::<Bump>(), if changes < 2 => {
                changes += 1;
                plan = match plan {
                    Plan::Free => Plan::Basic { cents: act(seats).await.abs() },
                    Plan::Basic { cents } | Plan::Pro { cents, .. } => Plan::Pro { cents, seats: seats.abs() % 5 + 1 },
                };
            }
            Approve { by } = cx.signal::<Approve>(), if number > 1 => {
                return Err(format!("ended by {by} in month {number}"));
            }
            _ = cx.sleep(slice) => left -= slice,
        }
    }
    let price = plan.price();
    let paid = if price == 0 { None } else { Some(try_act(price).await.map_err(|error| error.to_string())?) };
    Ok((plan, paid))
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (Books, String) {
    let mut books = Books::default();
    let mut plan = if n % 3 == 0 { Plan::Free } else { Plan::Pro { cents: quote_of(n).await, seats: 2 } };
    let reason = 'life: {
        for number in 1..=3_u32 {
            let mut tries = 0;
            loop {
                match month(plan, number).await {
                    Ok((next, Some(paid))) => {
                        if next > plan {
                            books.notes.get_or_insert_with(Vec::new).push(concat("up ", &format!("{next:?}")).await);
                        }
                        (plan, _) = (next, books.paid.push((number, paid)));
                        break;
                    }
                    Ok((next, None)) => {
                        plan = next;
                        break;
                    }
                    Err(reason) if reason.starts_with("ended") => break 'life reason,
                    Err(reason) => {
                        books.failed += 1;
                        tries += 1;
                        if tries == 2 {
                            break 'life format!("{reason} twice");
                        }
                        cx.sleep(hours(tries) * u32::from(books.failed)).await;
                    }
                }
            }
        }
        fetch("over").await
    };
    (books, reason)
}

#[workflow]
async fn quote_of(n: i64) -> i64 {
    Shop::quote(n).await.abs() + 1
}
