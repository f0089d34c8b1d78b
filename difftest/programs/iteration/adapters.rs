//! `for` over adapters of owned iterators: zip, filter, map, skip, take, chain.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for (a, b) in list(4).await.into_iter().zip(1..) {
        sum += act(a * b).await;
    }
    for x in (0..20).filter(|x| x % 3 == 0).map(|x| x + n).skip(1).take(3) {
        sum += act(x).await;
    }
    for x in list(2).await.into_iter().chain([note(9)]) {
        sum = add(sum, x).await;
    }
    sum
}
