//! Shielded operations, and such whose end by a request to cancel would be an error, where no request comes.

#[workflow]
async fn part(n: i64) -> i64 {
    tick().await;
    act(n).await
}

#[workflow]
async fn program(cx: &Context, n: i64) -> std::result::Result<Vec<i64>, String> {
    let noisy = Noisy::new("outside");
    let mut seen = vec![cx.shield(act(n)).await];
    let sum = cx
        .shield(async {
            note(noisy.name());
            let first = act(n + 1).await;
            first + part(n + 2).await
        })
        .await;
    seen.push(sum);
    for round in 0..3 {
        let gained = part(n + round).or_cancelled().await.map_err(|cancelled| cancelled.reason)?;
        cx.sleep(seconds(1)).or_cancelled().await.map_err(|cancelled| cancelled.reason)?;
        seen.push(note(gained));
    }
    let (a, b) = join!(cx.shield(act(n)), part(n).or_cancelled());
    seen.push(a + b.unwrap_or_default());
    select! {
        x = cx.shield(part(n)) => seen.push(x),
        Ok(x) = act(n + 9).or_cancelled() => seen.push(x),
    }
    Ok(seen)
}
