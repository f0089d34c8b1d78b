//! The value of a `break` is a part that is filled again on the way to it, as it has been moved out before.

#[workflow]
async fn program(n: i64) -> String {
    let mut pair = (n.rem_euclid(9), fetch("a").await, Noisy::new("beside"));
    note(fetch(&{ pair.1 }).await);
    let out = 'l: {
        {
            let Some(x) = Some(n).filter(|it| *it > 3) else {
                pair.1 = String::from("1");
                break 'l (pair.1);
            };
            note(x);
        }
        if flag(n).await {
            break 'l fetch("x").await;
        }
        if n > 8 {
            pair.1 = format!("{n}");
            break 'l if n > 10 { pair.1 } else { String::from("eight") };
        }
        String::new()
    };
    act(pair.0).await;
    loop {
        pair.1 = fetch("b").await;
        note(fetch(&pair.1).await);
        if pair.0 > 12 {
            note(pair.1);
            pair.1 = loop {
                if act(1).await > 2 {
                    pair.1 = fetch("inner").await;
                    break pair.1;
                }
            };
            break;
        }
        pair.0 += 3;
    }
    note((pair.0, pair.1, pair.2.name()));
    out
}
