//! `for` over an ordered set.

#[workflow]
async fn program(n: i64) -> i64 {
    let set: BTreeSet<i64> = list(n).await.into_iter().map(|x| x % 3).collect();
    let mut sum = 0;
    for item in set {
        sum = add(sum * 2, item).await;
    }
    sum
}
