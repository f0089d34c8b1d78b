//! What a condition binds is made of an awaited value by methods that take it, and lives until its block ends.

#[workflow]
async fn guarded(n: i64) -> i64 {
    if let Some(v) = find(act(n).await).await.map(Noisy::new) {
        match n {
            x if x > 5 && x % 2 == 0 => {
                note(format!("{v:?}"));
                1
            }
            _ => {
                let _inner = Noisy::new("inner");
                2
            }
        }
    } else {
        3
    }
}

#[workflow]
async fn in_a_chain(n: i64) -> i64 {
    let mut turns = 0;
    while let Some(v) = find(n + turns).await.map(Noisy::new).filter(|_| turns < 3)
        && turns < n
    {
        if flag(turns).await {
            note(format!("{v:?}"));
        }
        let _inner = Noisy::new("inner");
        turns += 1;
    }
    turns
}

#[workflow]
async fn program(n: i64) -> i64 {
    guarded(n).await * 10 + in_a_chain(n % 5).await
}
