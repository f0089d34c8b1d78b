//! Loops over what a part of a value lends that is made for them.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut total = 0;
    for line in ({ (n, String::from("first\nsecond")) }.1).lines() {
        total += fetch(line).await.len() as i64;
    }
    for (index, noisy) in
        (n, vec![Noisy::new("a"), Noisy::new("b")], Noisy::new("rest")).1.iter().enumerate()
    {
        if n > 2 {
            act(index as i64).await;
        }
        note(noisy.name());
    }
    note("over");
    for line in &(order(n).await, Noisy::new("kept")).0.lines {
        total += act(line.count).await;
    }
    for line in (fetch("a").await + "\nsecond").lines() {
        total += fetch(line).await.len() as i64;
    }
    total
}
