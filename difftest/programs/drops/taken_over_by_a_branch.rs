//! What an `async` block uses and nothing else, and does not use up, is dropped where its scope ends, and not
//! with the block.

#[workflow]
async fn program(n: i64) -> i64 {
    let first = Noisy::new(fetch("first").await);
    let mut second = Some(Noisy::new("second"));
    {
        let inner = Noisy::new("inner");
        let (joined, _) = join!(
            async {
                if n > 2 {
                    drop(second.take());
                }
                if n > 1 {
                    second = Some(Noisy::new("changed"));
                    note(act(n).await);
                }
                if n > 3 {
                    return format!("{first:?}").len();
                }
                note(letter(n).await);
                format!("{inner:?}").len()
            },
            act(2),
        );
        note("joined");
        if joined > 5 {
            note(act(1).await);
        }
        note(joined);
    }
    note("end");
    n
}
