//! What patterns borrow that have tested it, or something beside it, and that is changed while others are awaited.

#[workflow]
async fn ranges(n: i64) -> String {
    let mut pair = (n, fetch("x").await);
    match &mut pair {
        (n @ 1..=2, text) => {
            tick().await;
            *n += 90;
            text.push('a');
            tick().await;
            *n += text.len() as i64;
        }
        (n @ (0 | 3..=5), _) => {
            *n -= 100;
            *n += act(*n).await;
        }
        (n, text) => {
            text.push('b');
            *n += act(*n).await;
        }
    }
    if let (a @ 1..=80, b) = &mut pair
        && let Some(mut other) = find(3).await
    {
        *a = 200;
        other.push_str(&fetch(b).await);
        b.push_str(&other);
        *a += act(*a).await;
    }
    let (first @ ..=500, _) = &mut pair else { return concat(&pair.1, "many").await };
    *first += 1000;
    *first += act(*first).await;
    format!("{pair:?}")
}

#[workflow]
async fn beside(n: i64) -> (i64, i64, String) {
    let mut state = (n, 5, fetch("left").await);
    match state {
        (ref mut a, 5, _) => {
            state.1 = 6;
            state.2.push('!');
            tick().await;
            *a += 1;
        }
        _ => tick().await,
    }
    let first = &mut state;
    match first {
        (a, 6 | 7, text) if text.len() > 2 => {
            first.1 += 10;
            *a += act(*a).await;
            text.push('?');
        }
        _ => tick().await,
    }
    if let (0..=20, ref count, ref mut text) = state {
        state.0 = 77;
        text.push_str(&fetch("more").await);
        note(*count);
    }
    state.0 += state.1;
    (state.0, state.1, state.2)
}

#[workflow]
async fn shapes(n: i64) -> String {
    let mut shape = shape(n).await;
    match &mut shape {
        Shape::Circle { radius: size @ 0..=3 } => {
            *size = 50;
            tick().await;
            *size += 1;
        }
        Shape::Rect(size, _) => {
            *size = 40;
            tick().await;
            *size += 2;
        }
        whole @ Shape::Named(..) => {
            *whole = Shape::Rect(act(1).await, 2);
            note(area(whole.clone()).await);
            *whole = Shape::Point;
        }
        whole => {
            tick().await;
            *whole = Shape::Circle { radius: n };
        }
    }
    let mut sides = (n, Some(n), [n, 2, 3]);
    if let (_, Some(x @ 1..), [first, 2, last @ 3..=9]) = &mut sides {
        (*x, *last, *first) = (-1, 0, 9);
        *x += act(*last).await + *first;
        *last += *x;
    }
    match &mut sides {
        (0..=90, Some(x), _) => {
            *x -= 3;
            *x *= act(*x).await;
        }
        (x, ..) => *x = act(4).await,
    }
    let mut ways = (Some((n, 1, 0)), n % 2 == 0, n);
    match &mut ways {
        (Some((x, _, _)), true, y) => {
            (*x, *y) = (n + 3, n + 7);
            *x += act(*y).await;
            *y += act(*x).await;
        }
        (Some((y, x, _)), false, _) => {
            (*x, *y) = (n + 7, n + 3);
            *y += act(*x).await;
        }
        _ => tick().await,
    }
    for (count, _) in [(1, 2), (3, 4)].iter_mut() {
        *count += act(*count).await;
        note(*count);
    }
    format!("{shape:?} {sides:?} {ways:?}")
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Stage {
    Run { count: i64, name: String, tags: Vec<String> },
    Wait(i64, Option<String>),
    Done,
}

#[workflow]
async fn stages(n: i64) -> String {
    let first = Stage::Run { count: n, name: fetch("a").await, tags: Vec::new() };
    let mut stages = vec![first, Stage::Wait(n, Some(fetch("b").await)), Stage::Done];
    for stage in &mut stages {
        match stage {
            Stage::Run { count: count @ (0 | 1 | 2), name, .. } => {
                *count += 10;
                tick().await;
                name.push('x');
                *count += 10;
            }
            Stage::Run { count, tags, .. } if tags.is_empty() => {
                tags.push(fetch("tag").await);
                *count -= tags.len() as i64;
            }
            Stage::Wait(0..=3, Some(text)) => {
                text.push_str(&fetch(text).await);
                text.clear();
                tick().await;
                text.push('!');
            }
            Stage::Run { name, .. } => {
                let fetched = fetch(name).await;
                name.push_str(&fetched);
                tick().await;
                name.push('?');
            }
            Stage::Wait(count, text @ Some(_)) => {
                *text = None;
                *count += act(*count).await;
                *text = Some(fetch("t").await);
            }
            other => {
                tick().await;
                *other = Stage::Wait(n, None);
            }
        }
    }
    let mut at = 1;
    while let Some(Stage::Wait(count @ ..=20, _)) = stages.get_mut(at) {
        *count = 100;
        *count += act(*count).await;
        at += 1;
    }
    format!("{stages:?}")
}

#[workflow]
async fn beside_alternatives(n: i64) -> String {
    let mut line = Line { sku: fetch("sku").await, count: n };
    let borrowed = &mut line;
    match borrowed {
        Line { count: 0..=2, sku } => {
            borrowed.count = 77;
            sku.push('a');
            tick().await;
            sku.push('b');
        }
        Line { sku, .. } => sku.push_str(&fetch("d").await),
    }
    let mut nested = (Ok::<(i64, i64), (i64, i64)>((n, 1)), 5);
    if n % 2 == 0 {
        nested.0 = Err((7, n));
    }
    if let (Ok((x, 1)), 5) = &mut nested {
        *x = 1;
        *x += act(*x).await;
    }
    if let (Err((_, ref mut x)), 5) = nested {
        nested.1 = 6;
        *x += act(*x).await;
    }
    format!("{line:?} {nested:?}")
}

#[workflow]
async fn program(n: i64) -> String {
    note(ranges(n).await);
    note(ranges(n + 60).await);
    note(beside(n).await);
    note(shapes(n).await);
    note(stages(n).await);
    note(stages(n + 2).await);
    note(beside_alternatives(n).await);
    shapes(n + 2).await
}
