//! What is made of a copy of a value that a block gives is dropped at the end of its scope.

fn label(n: i64) -> String {
    format!("label {n}")
}

#[workflow]
async fn program(n: i64) -> i64 {
    let name = fetch("name").await;
    let copied = Noisy::new(if flag(n).await { (&{ name }).to_owned() } else { fetch("other").await });
    let made = Noisy::new(if n > 2 { (&label(n)).clone() } else { fetch("third").await });
    let mut total = 0;
    if flag(n + 1).await {
        total += act(n).await;
        total += format!("{copied:?} {made:?}").len() as i64;
    }
    let _last = Noisy::new("last");
    total
}
