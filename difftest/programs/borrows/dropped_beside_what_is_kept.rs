//! What is dropped beside an index or a key that is kept, and where such ones are kept.

use std::collections::BTreeMap;

#[workflow]
async fn in_branches(n: i64) -> i64 {
    let list = vec![Noisy::new("one"), Noisy::new("two"), Noisy::new("three")];
    let found = match list.get(weight(&Noisy::new("key"), n)) {
        Some(found) => found,
        None => &list[0],
    };
    note(1);
    act(n).await;
    let other = if n > 2 {
        &list[weight(&Noisy::new("key2"), n)]
    } else {
        note(4);
        &list[weight(&Noisy::new("key3"), act(n).await)]
    };
    note(2);
    act(2).await + (found.name().len() + other.name().len()) as i64
}

#[workflow]
async fn in_a_block(n: i64) -> i64 {
    let list = vec![Noisy::new("one"), Noisy::new("two"), Noisy::new("three")];
    let other = {
        let guard = Noisy::new("guard");
        let at = weight(&guard, act(n).await);
        note(at);
        &list[at]
    };
    note(2);
    act(2).await + other.name().len() as i64
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
async fn keys_of_entries(n: i64) -> i64 {
    let mut map: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for i in 0..3 {
        let name = fetch(&(i % 2).to_string()).await;
        map.entry(name.clone()).and_modify(|v| v.push(7)).or_insert(list(n).await);
        map.entry(name).and_modify(|v| v.push(note(8))).or_insert(vec![act(n).await]);
        map.entry("x".to_string()).and_modify(|v| v.clear()).or_default().push(act(i).await);
    }
    note(&map);
    map.len() as i64
}

#[workflow]
async fn in_a_loop(n: i64) -> i64 {
    let lines = vec![vec![n, 1, 2], vec![3, 4, 5], vec![6, 7, 8]];
    let mut sum = 0;
    for (i, row) in lines.iter().enumerate() {
        let cell = match row.iter().find(|c| **c > n) {
            Some(c) => c,
            None if i == 1 => continue,
            None => &row[nth(act(i as i64).await)],
        };
        let pick = if flag(*cell).await {
            &row[nth(*cell)]
        } else if i > 1 {
            &row[nth(n)]
        } else {
            break;
        };
        sum += act(*pick).await + *cell + *pick;
    }
    sum
}

#[workflow]
async fn to_change(n: i64) -> i64 {
    let mut rows = vec![vec![n, 1, 2], vec![3, 4, 5], vec![6, 7, 8]];
    let cell = if n > 2 { &mut rows[1][nth(n)] } else { &mut rows[0][nth(act(n).await)] };
    *cell += act(*cell).await;
    note(*cell);
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
            let x = if n > 1 { &l[nth(act(n).await)] } else { &l[0] };
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
    note(in_a_block(n).await);
    note(in_a_tuple(n).await);
    note(keys_of_entries(n).await);
    note(in_a_loop(n).await);
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
