//! Values that the `else` of a `let` moves are there behind it.

#[workflow]
async fn one(n: i64) -> i64 {
    let a = Noisy::new("a");
    let mut kept = None;
    let [x @ (0..=9 | 50..), .., y] = [n, 2, 11] else {
        kept = Some(a);
        note(kept.is_some());
        return 4;
    };
    if n > 2 {
        tick().await;
    }
    note(kept.is_some());
    note((x, y));
    n
}

#[workflow]
async fn two(n: i64) -> i64 {
    let a = Noisy::new("a");
    {
        let b = Noisy::new("b");
        {
            let [x @ (0..=9 | 50..), .., y] = [n, 2, 11] else {
                let z = Some(a);
                return 4;
            };
            note((x, y));
            if n > 20 {
                tick().await;
            }
        }
        note("end of block");
    }
    note("end");
    n
}

#[workflow]
async fn three(n: i64) -> i64 {
    let a = Noisy::new("a");
    let x = match n {
        0..=3 => n,
        _ => {
            drop(a);
            return 5;
        }
    };
    if n > 20 {
        tick().await;
    }
    note("end");
    n + x
}

#[workflow]
async fn four(n: i64) -> i64 {
    let a = Noisy::new("a");
    for i in 0..5 {
        if i == n {
            drop(a);
            return 5;
        }
    }
    if n > 20 {
        tick().await;
    }
    note("end");
    n
}

#[workflow]
async fn five(n: i64) -> i64 {
    let a = Noisy::new("a");
    {
        let Some(x) = (n % 2 == 0).then_some(Noisy::new("x")) else {
            note("no x");
            drop(a);
            return 6;
        };
        note(x.name());
        note("in the block");
    }
    if n > 20 {
        tick().await;
    }
    note("end");
    n
}

#[workflow]
async fn six(n: i64) -> i64 {
    let a = Noisy::new("a");
    let b = Noisy::new("b");
    for i in 0..3 {
        let Ok(x) = fetch("1").await.parse::<i64>() else {
            drop(a);
            return 3;
        };
        let Some(c) = (i != n).then_some(x) else {
            drop(b);
            break;
        };
        note(c);
    }
    note("after");
    if n > 20 {
        tick().await;
    }
    note("end");
    n
}

#[workflow]
async fn program(n: i64) -> i64 {
    one(n).await + two(n).await + three(n).await + four(n).await + five(n).await + six(n).await
}
