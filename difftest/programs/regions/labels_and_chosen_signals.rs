//! Branches with loops of their own, whose ends jump to labels outside.
#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, Vec<String>) {
    let names = words("p q r").await;
    let mut log: Vec<String> = vec![];
    let mut hits = [0; 3];
    let limit = act(n).await;
    'rounds: for (r, name) in names.iter().enumerate() {
        let outcome = select! {
            v = async {
                let mut sum = 0;
                'inner: loop {
                    for i in 0..3 {
                        sum += act(i + sum).await;
                        if sum > limit { break 'inner }
                        if i == 2 { continue 'inner }
                    }
                }
                hits[r] += 1;
                concat(name, &sum.to_string()).await
            } => Ok(v),
            Bump(b) = cx.signal::<Bump>() => if b > 20 { break 'rounds } else { Err(b) },
            t = async { cx.sleep(seconds(3)).await; cx.now() } => { log.push(format!("{t:?}").len().to_string()); continue 'rounds },
        };
        match outcome {
            Ok(v) if v.len() > 4 => log.push(v),
            Ok(_) => {}
            Err(b) => log.push(fetch(&b.to_string()).await),
        }
    }
    let moved = names;
    let (x, l) = join!(
        async move {
            let mut t = 0;
            for m in &moved {
                t += fetch(m).await.len() as i64
            }
            t
        },
        async {
            log.push(fetch("l").await);
            log.len()
        }
    );
    (x + l as i64 + hits.iter().sum::<i64>(), log)
}
