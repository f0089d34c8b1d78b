//! A value that is changed by a method within a call is dropped at the end of its scope.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut held = Some(Noisy::new(fetch("held").await));
    let joined = join!(
        async {
            for round in 0..n {
                if round > 2 {
                    drop(held.replace(Noisy::new("another")));
                }
            }
            act(n).await
        },
        async { fetch("other").await }
    );
    let list = [Noisy::new(joined.1), Noisy::new("last")];
    for noisy in &list {
        if n > 3 {
            act(1).await;
        }
        note(noisy.name());
    }
    joined.0
}
