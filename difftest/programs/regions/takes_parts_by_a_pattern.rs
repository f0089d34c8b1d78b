//! A branch takes parts of what others need by a pattern.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let first = order(n).await;
    let pair = (pair(n).await, Noisy::new("beside"));
    let (sum, _) = join!(
        async {
            let Order { lines, id: number, .. } = first;
            let ((_, mut text, ..), ..) = pair;
            text.push('!');
            act(lines.len() as i64).await + number + text.len() as i64
        },
        async {
            note(&first.customer);
            act(first.id + pair.0.0).await
        }
    );
    note(first.customer);
    note(pair.1.name());
    Some(sum)
}
