//! Items of a `for` loop, those that are never reached too.

#[workflow]
async fn program(n: i64) -> i64 {
    let items = vec![Noisy::new("a"), Noisy::new("b"), Noisy::new("c")];
    let mut i = 0;
    for item in items {
        note(item.name());
        i += act(n).await;
        if i > 3 {
            break;
        }
    }
    note("after");
    act(i).await
}
