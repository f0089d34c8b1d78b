//! A list that is collected to be looked at is there until the statement ends.

#[workflow]
async fn program(n: i64) -> i64 {
    let sum = (match n {
        0 | 1 => vec![Noisy::new("a"), Noisy::new("b")],
        _ => vec![Noisy::new("c")],
    }
    .into_iter()
    .rev()
    .collect::<Vec<_>>()
    .len() as i64)
        - if n > 0 {
            act(n).await
        } else {
            _ = Noisy::new("inner");
            return n;
        };
    note(sum);
    let kept = vec![Noisy::new("kept")];
    let count = kept.iter().collect::<Vec<_>>().len() + vec![Noisy::new("made")].iter().collect::<Vec<_>>().len();
    note(count);
    sum + (kept.iter().collect::<Vec<_>>().len() as i64 + act(n).await)
        + (vec![Noisy::new("more")].iter().collect::<Vec<_>>().len() as i64 + act(n).await)
}
