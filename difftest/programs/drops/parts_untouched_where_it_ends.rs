//! Of a value that has lost a part, a step leaves some of the others as they are and hands on the rest.

fn check(n: i64, at: i64) -> Option<i64> {
    (note(n) != at).then_some(at)
}

#[workflow]
async fn between(n: i64) -> Option<i64> {
    let four = (Noisy::new("zero"), Noisy::new("one"), Noisy::new("two"), Noisy::new("three"));
    let last = Noisy::new("last");
    drop(four.3);
    let x = act(n).await;
    check(n, 1)?;
    if x == note(7) {
        tick().await;
        note((four.0.name(), four.2.name()));
        return Some(1);
    }
    tick().await;
    note((four.0.name(), four.1.name(), four.2.name(), last.name()));
    Some(x)
}

#[workflow]
async fn second(n: i64) -> Option<i64> {
    let three = (Noisy::new("zero"), Noisy::new("one"), Noisy::new("two"));
    drop(three.2);
    let x = act(n).await;
    check(n, 1)?;
    if x == note(7) {
        tick().await;
        note(three.1.name());
        return Some(1);
    }
    tick().await;
    note((three.0.name(), three.1.name()));
    Some(x)
}

#[workflow]
async fn program(n: i64) -> (Option<i64>, Option<i64>) {
    (between(n).await, second(n).await)
}
