//! The outcome of a branch is kept until the others are done, and dropped once.

#[workflow]
async fn helper(n: i64) -> Noisy {
    flag(n).await;
    Noisy::new("made")
}

#[workflow]
async fn program(n: i64) -> i64 {
    let sum = join!(
        async {
            let _text = join!(fetch("42"), flag(5)).0;
            add(9, n).await
        },
        helper(n)
    )
    .0;
    act(sum).await
}
