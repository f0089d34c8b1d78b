//! Conditions on branches that change from round to round, and jumps out of nested loops.
#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<String>, i64) {
    let mut log = Vec::new();
    let mut budget = n;
    let mut paused = false;
    let mut owed = Some(fetch("owed").await);
    let deadline = cx.now() + hours(3);
    let result = 'outer: loop {
        for lane in 0..2 {
            select! {
                Bump(by) = cx.signal::<Bump>(), if !paused && lane == 0 => {
                    budget += by;
                    if budget > 25 { break 'outer budget }
                    continue 'outer;
                }
                r = try_act(budget), if owed.is_some() => { let v = match r { Ok(v) => v, Err(_) => { budget -= 2; continue } };
                    let text = owed.take().unwrap();
                    log.push(concat(&text, &v.to_string()).await);
                    paused = !paused;
                }
                _ = cx.sleep_until(deadline) => {
                    log.push("late".into());
                    break 'outer -1;
                }
                flagged = async { let f = flag(budget).await; if f { tick().await; } f }, if lane == 1 => {
                    if flagged { owed.get_or_insert(fetch("again").await); }
                    paused ^= flagged;
                }

            }
        }
        if log.len() > 3 {
            break act(budget).await;
        }
        budget += 1;
        if budget > 30 {
            break 0;
        }
    };
    (log, result)
}
