//! A call that ends within the step is an await: what is not used after it is dropped there.

#[workflow]
async fn inner(n: i64) -> i64 {
    drop(Noisy::new("inner"));
    note(n)
}

#[workflow]
async fn outer(n: i64) -> i64 {
    let _guard = Noisy::new("guard of outer");
    let got = inner(n + 1).await;
    note("outer");
    inner(got).await
}

#[workflow]
async fn program(n: i64) -> i64 {
    let _guard = Noisy::new("guard");
    let used = Noisy::new("used");
    let got = outer(n).await;
    note("behind the call");
    let more = [Noisy::new("temporary"), Noisy::new("another")].len() as i64 + inner(got).await;
    drop(used);
    more + act(more).await
}
