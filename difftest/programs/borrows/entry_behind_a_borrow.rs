//! The entry of a map that a borrow leads to, for a key that is awaited.

#[workflow]
async fn program(n: i64) -> i64 {
    let map = &mut BTreeMap::<String, i64>::new();
    let (a, _) = join!(
        async {
            let entry = (*map).entry(fetch("a").await).or_insert(n);
            act(*entry).await
        },
        tick()
    );
    let entry = (*map).entry(fetch("b").await).or_insert(n);
    *entry += a;
    act(*entry).await
}
