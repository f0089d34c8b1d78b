//! Of called workflows and `async` blocks that fail without awaiting anything the first one fails the rest.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut all = Vec::new();
    for limit in [0, 3, 100] {
        let result = try_join!(
            act_or(n, limit),
            async { if n < limit { Err(format!("block {n}")) } else { Ok(act(n).await) } },
            act_or(n + 1, limit),
        );
        all.push(note(format!("{result:?}")));
    }
    let (first, second) = join!(act_or(n, 100), async { act(n).await });
    all.push(format!("{first:?}{second}"));
    all
}

#[workflow]
async fn act_or(n: i64, limit: i64) -> std::result::Result<i64, String> {
    if n < limit { Err(format!("call {n}")) } else { Ok(act(n).await) }
}
