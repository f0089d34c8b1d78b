//! What is made for a text that is formatted within a statement is dropped when the text is there.

#[workflow]
async fn program(n: i64) -> i64 {
    let pair = (
        format!(
            "{}-{}",
            {
                tick().await;
                vec![Noisy::new("first"), Noisy::new("last")]
            }
            .len(),
            n
        ),
        vec![Noisy::new("beside")].len(),
    );
    note(pair);
    note((
        Noisy::new("before"),
        format!("{:?}", Noisy::new(fetch("text").await).name().len()),
        vec![Noisy::new("beside")].len(),
    ));
    n
}
