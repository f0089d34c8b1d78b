//! Parameters are dropped after locals; `_` as a pattern keeps its value until then.

#[workflow]
async fn program(n: i64) -> i64 {
    let x = inner(Noisy::new("used"), Noisy::new("unused"), n).await;
    note("returned");
    x
}

#[workflow]
async fn inner(used: Noisy, _unused: Noisy, n: i64) -> i64 {
    let _local = Noisy::new("local");
    let x = act(n).await;
    note(used.name());
    x
}
