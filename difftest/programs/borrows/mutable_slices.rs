//! A list or an array as a slice that is changed, taken apart by patterns.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, [i64; 3]) {
    let mut v = words("a b c d").await.iter().map(|word| word.len() as i64 + n).collect::<Vec<_>>();
    if let [a, ..] = v.as_mut_slice() {
        *a += act(*a).await;
        *a += 1;
    }
    match v.as_mut_slice() {
        [first, .., last] => {
            *first -= act(*last).await;
            *last += *first;
        }
        _ => tick().await,
    }
    let mut three = [n, 2, 3];
    let slice = three.as_mut_slice();
    slice[1] += act(4).await;
    slice[2] *= 2;
    if let Some(one) = v.as_mut_slice().first_mut() {
        *one += act(5).await;
    }
    (v, three)
}
