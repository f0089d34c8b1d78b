//! `for` over maps, options, characters and adapters, nested in one another and left early.

/// A key that is found, or not, depending on `n`.
fn some(n: i64) -> String {
    "x".repeat(n.rem_euclid(5) as usize)
}

#[workflow]
async fn program(n: i64) -> String {
    let mut map = BTreeMap::new();
    map.insert("ab".to_owned(), vec![1, n]);
    map.insert("c".to_owned(), vec![]);
    map.insert("déf".to_owned(), vec![3, 4, 5]);
    let mut out = String::new();
    'keys: for (key, values) in map {
        for (i, c) in key.chars().rev().enumerate() {
            for value in values.iter().copied().filter(|v| v % 2 == 1).take(2) {
                out.push(c);
                out.push_str(&act(value).await.to_string());
                if out.len() > 30 {
                    break 'keys;
                }
                if value == n {
                    continue 'keys;
                }
            }
            for x in lookup(&some(i as i64 + n)).await {
                out += &format!("<{x}>");
                tick().await;
            }
        }
    }
    for (a, b) in (0..3).zip(list(n).await.into_iter().rev().step_by(2)) {
        out.push_str(&concat(&a.to_string(), &b.to_string()).await);
    }
    for pair in [1, 2, 3, 4].chunks(2).map(<[i64]>::to_vec) {
        out += &act(pair[0]).await.to_string();
    }
    for (i, word) in "some words here".split(' ').map(str::to_owned).enumerate().skip(1) {
        out += &fetch(&word).await;
        note(i);
    }
    for byte in (b'a'..=b'c').rev() {
        tick().await;
        out.push(byte as char);
    }
    out
}
