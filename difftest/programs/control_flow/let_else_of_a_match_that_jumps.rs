//! `let … else` whose initializer is a `match` with arms that await and arms that jump.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let mut sum = 0;
    'rounds: for round in 0..6 {
        let Some(x) = (match (n + round) % 6 {
            0 => continue,
            1 => maybe(act(round).await).await,
            2 if sum > 500 => break 'rounds,
            2 => Some(act(2).await),
            3 => match flag(sum).await {
                true => return act(sum).await,
                false => None,
            },
            4 => match maybe(round).await {
                Some(found) if found > 102 => break,
                Some(found) => Some(found + 1),
                None => continue 'rounds,
            },
            _ => Some(round),
        }) else {
            sum += act(1).await;
            if sum > 300 {
                break;
            }
            continue;
        };
        let (Some(y), z) = (match x {
            x if x > 104 => return sum + act(x).await,
            x => (maybe(x).await, x),
        }) else {
            sum -= 1;
            continue 'rounds;
        };
        sum += y + z;
    }
    let Some(last) = (match act(sum).await {
        a if a > 900 => return a,
        a => maybe(a - 100).await,
    }) else {
        return act(0).await;
    };
    last + sum
}
