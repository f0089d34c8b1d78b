//! A branch takes a part of a value over, another one uses the rest of it where it is, and the part is
//! filled again after a further await or within a loop.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut first = order(n).await;
    let (seen, joined) = join!(
        async {
            note(first.id);
            first.lines.len() as i64
        },
        async move { fetch(&first.customer).await }
    );
    let more = act(seen).await;
    first.customer = joined;
    note(first.id);
    let mut second = order(n + 1).await;
    let (_, joined) = join!(
        async {
            act(second.id).await;
            note(second.id)
        },
        async move { fetch(&second.customer).await }
    );
    let mut round = 0;
    second.customer = loop {
        round += 1;
        if round > n {
            break joined;
        }
        second.id += act(round).await;
    };
    note(second);
    more
}
