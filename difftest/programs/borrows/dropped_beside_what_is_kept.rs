//! What is dropped beside an index or a key that is kept, and where such ones are kept.

#[workflow]
async fn in_branches(n: i64) -> i64 {
    let list = vec![Noisy::new("one"), Noisy::new("two"), Noisy::new("three")];
    let found = match list.get(weight(&Noisy::new("key"), n)) {
        Some(found) => found,
        None => &list[0],
    };
    note(1);
    act(n).await;
    note(2);
    act(2).await + found.name().len() as i64
}

#[workflow]
async fn in_a_tuple(n: i64) -> i64 {
    let list = vec![Noisy::new("one"), Noisy::new("two"), Noisy::new("three")];
    match (list.get(weight(&Noisy::new("a"), n)), list.get(weight(&Noisy::new("b"), act(n).await)))
    {
        (Some(a), Some(b)) => {
            note((a.name(), b.name()));
            act(1).await + a.name().len() as i64
        }
        _ => act(2).await,
    }
}

#[workflow]
async fn to_change(n: i64) -> i64 {
    let mut rows = vec![vec![n, 1, 2], vec![3, 4, 5], vec![6, 7, 8]];
    let row = match rows.get_mut(nth(act(n).await)) {
        Some(row) => row,
        None => return 0,
    };
    row.push(act(3).await);
    row.push(4);
    note(&rows);
    rows.concat().iter().sum()
}

#[workflow]
async fn in_async_blocks(n: i64) -> i64 {
    let (a, b) = join!(
        async {
            let l = vec![n, 2, 3];
            let x = &l[nth(act(n).await)];
            act(*x).await + *x
        },
        async {
            let l = vec![n, 2, 3];
            let x = match l.get(nth(act(n).await)) {
                Some(x) => x,
                None => return 1,
            };
            act(*x).await + *x
        }
    );
    a + b
}

#[workflow]
async fn texts(n: i64) -> String {
    let names = words("ann bob cid").await;
    let nick = find(n).await;
    let name = nick.as_ref().filter(|n| n.len() > 6).map_or("nobody", |n| n.as_str());
    let other = names.iter().find(|n| n.len() > 3).map_or(name, |n| n);
    let s = concat(name, other).await;
    let len = names.iter().map(|n| n.len()).max().map_or(0, |n| n);
    format!("{s} {name} {other} {len} {}", act(n).await)
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(in_branches(n).await);
    note(in_a_tuple(n).await);
    note(to_change(n).await);
    note(in_async_blocks(n).await);
    note(texts(n).await);
    0
}

fn nth(n: i64) -> usize {
    n.rem_euclid(3) as usize
}

fn weight(noisy: &Noisy, n: i64) -> usize {
    nth(noisy.name().len() as i64 + n)
}
