//! Everything in everything.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let mut total = 0;
    'rows: for row in list(n).await.into_iter().chain(1..=n) {
        let bonus = loop {
            match maybe(row - 1).await {
                Some(x) if x % 2 == 0 => {
                    if flag(x + row).await {
                        let extra = if let Some(y) = maybe(x - 101).await {
                            'value: {
                                if y > 102 {
                                    break 'value act(y).await;
                                }
                                y
                            }
                        } else {
                            continue 'rows;
                        };
                        break extra;
                    } else {
                        break { act(total).await % 7 };
                    }
                }
                Some(x) => break x + act(total).await % 5,
                None => break 'rows,
            }
        };
        total += bonus;
    }
    total
}
