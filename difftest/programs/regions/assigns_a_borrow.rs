//! A branch assigns a borrow of what only it needs.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let a = fetch("a").await;
    let mut found = "none";
    let (x, y) = join!(
        async {
            act(n).await;
            found = &a;
            1
        },
        act(2)
    );
    note(found);
    Some(x + y)
}
