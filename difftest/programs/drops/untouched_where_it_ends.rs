//! What a step does not touch is dropped in its order where the workflow ends in it.

fn check(n: i64, at: i64) -> Option<i64> {
    (note(n) != at).then_some(at)
}

#[workflow]
async fn scopes(n: i64) -> Option<i64> {
    let a = Noisy::new("a");
    let found = {
        let b = Noisy::new("b");
        tick().await;
        let c = Noisy::new(fetch("c").await);
        if check(n, 1)? == note(2) {
            return None;
        }
        tick().await;
        if n == 2 {
            note(b.name());
        }
        let d = Noisy::new("d");
        let price = act(n).await;
        check(price, n)?;
        note((b.name(), c.name(), d.name()));
        price
    };
    note("left");
    check(n, 3)?;
    note(a.name());
    Some(found)
}

#[workflow]
async fn between(n: i64) -> Option<String> {
    let first = Noisy::new("first");
    let mut second = Noisy::new("second");
    let third = (Noisy::new("third"), Noisy::new("fourth"));
    let list = vec![Noisy::new("x"), Noisy::new("y")];
    let number = act(n).await;
    check(number, n)?;
    second.rename(fetch("other").await);
    let last = Noisy::new("last");
    check(n, 2)?;
    let found = try_find(n).await.ok()?;
    let made = note(Noisy::new(check(n, 3).map(|_| "made")?));
    if found == Some(n) {
        return Some(note("found").to_owned());
    }
    tick().await;
    check(n, 4)?;
    note((first.name(), second.name(), third.1.name(), list.len(), last.name()));
    Some(made.name().to_owned())
}

#[workflow]
async fn rounds(n: i64) -> Result<i64> {
    let outer = Noisy::new("outer");
    let mut left = Vec::new();
    for i in 0..3 {
        let inner = Noisy::new(format!("inner {i}"));
        let kept = Noisy::new(fetch("kept").await);
        let got = try_act(i * n).await?;
        if got > 40 {
            break;
        }
        if got == note(n) {
            continue;
        }
        tick().await;
        left.push(inner);
        let Some(it) = check(got, i) else { return Ok(note(-1)) };
        note((it, kept.name()));
    }
    try_act(n + 4).await?;
    note((outer.name(), left.len()));
    Ok(1)
}

#[workflow]
async fn taken(n: i64) -> Option<i64> {
    let pair = (Noisy::new("left"), Noisy::new("right"));
    let whole = (Noisy::new("one"), Noisy::new("two"));
    tick().await;
    drop(pair.0);
    check(act(n).await, 1)?;
    let both = act(n).await;
    check(both, 2)?;
    tick().await;
    if n == 3 {
        drop(whole);
        check(act(3).await, 3)?;
        return Some(note(3));
    }
    check(n, 4)?;
    tick().await;
    note((pair.1.name(), whole.0.name()));
    Some(both)
}

#[workflow]
async fn left_before(n: i64) -> Option<i64> {
    {
        let inner = Noisy::new("inner");
        tick().await;
        if n == 2 {
            tick().await;
            note(inner.name());
            return None;
        }
    }
    note("left");
    Some(note(n))
}

#[workflow]
async fn program(n: i64) -> (Option<i64>, Option<String>, Option<i64>, Option<i64>) {
    let outer = Noisy::new("program");
    let got = (scopes(n).await, between(n).await, rounds(n).await.ok(), taken(n).await);
    note(left_before(n).await);
    note(outer.name());
    got
}
