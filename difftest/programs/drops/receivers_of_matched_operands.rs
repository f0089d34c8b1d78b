//! What the value comes from that a `match` is on is there until the statement ends.

#[workflow]
async fn program(n: i64) -> i64 {
    let sizes = vec![(
        vec![Noisy::new("first"), Noisy::new("second")].len(),
        (|x: i64| vec![Noisy::new("called")].len() as i64 + x)(
            match ({ vec![Noisy::new("a"), Noisy::new("b")] }).pop() {
                Some(last) => last.name().len() as i64,
                None => act(n).await,
            },
        ),
    )];
    for text in match ({ vec![Noisy::new("c"), Noisy::new(fetch("d").await)] }).pop() {
        Some(_) => vec![Noisy::new("e")],
        None => vec![Noisy::new(fetch("f").await)],
    } {
        note(text.name());
        if n > 2 {
            note(letter(n).await);
        }
    }
    note(sizes.len() as i64)
}
