//! Loops over what is lent by a value that `?` gives.

fn text(n: i64) -> Option<String> {
    (n != 7).then(|| format!("a{n}\nb\nc"))
}

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let mut total = 0;
    for line in text(n)?.lines() {
        total += fetch(line).await.len() as i64;
    }
    for x in Some(vec![n, 2, 3])?.iter() {
        total += act(*x).await;
    }
    for line in find(n).await?.lines() {
        total += fetch(line).await.len() as i64;
    }
    let later = Some(vec![4, n]);
    for (at, x) in (later?).iter().enumerate() {
        total += act(*x + at as i64).await;
    }
    Some(total)
}
