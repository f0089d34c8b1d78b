//! Four arms of four kinds.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    while out.len() < 3 {
        let next = select! {
            x = act(n + out.len() as i64) => x,
            Bump(x) = cx.signal::<Bump>() => x,
            _ = cx.sleep(seconds(10 + out.len() as u64)) => -1,
            text = find(n) => text.map_or(0, |text| text.len() as i64),
        };
        out.push(note(next));
    }
    out
}
