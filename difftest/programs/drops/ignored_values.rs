//! `let _ = value` drops the value with the statement, whatever it is made of.

#[workflow]
async fn program(n: i64) -> i64 {
    let _first = Noisy::new("a local");
    let _ = vec![Noisy::new("0"), Noisy::new(fetch("last").await)].pop().unwrap_or(Noisy::new("none"));
    note("after the first");
    let _ = (
        Noisy::new("left"),
        Noisy::new(
            fetch(&{
                if n > 3 {
                    tick().await;
                }
                "right".to_owned()
            })
            .await,
        ),
    );
    note("after the second");
    let _ = &Noisy::new(fetch("lent").await);
    note("after the third");
    _ = Noisy::new(fetch("assigned").await);
    note("after the fourth");
    let pair = (Noisy::new("pair 0"), Noisy::new("pair 1"), Noisy::new("pair 2"));
    if n > 2 {
        drop(pair.1);
        if n == 5 {
            tick().await;
            note((pair.0.name(), pair.2.name()));
            return 0;
        }
        note(pair.0.name());
    } else {
        note(pair.1.name());
    }
    n
}
