//! Everything in everything.

crate::harness::program! {
    async fn deep_nesting(cx: &Context, n: i64) -> i64 {
        let mut total = 0;
        'rows: for row in list(n).await {
            let bonus = loop {
                match maybe(row - 1).await {
                    Some(x) if x % 2 == 0 => {
                        if flag(x + row).await {
                            let extra = if let Some(y) = maybe(x - 101).await {
                                'value: {
                                    if y > 102 {
                                        break 'value step(y).await;
                                    }
                                    y
                                }
                            } else {
                                continue 'rows;
                            };
                            break extra;
                        } else {
                            break { step(total).await % 7 };
                        }
                    }
                    Some(x) => break x + step(total).await % 5,
                    None => break 'rows,
                }
            };
            total += bonus;
        }
        total
    }
    (0) (3) (5)
}
