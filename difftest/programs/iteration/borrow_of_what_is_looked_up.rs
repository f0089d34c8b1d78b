//! Loops over a list that a method looks up, and over a part of what it finds.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cart {
    lines: Vec<i64>,
}

#[workflow]
async fn program(n: i64) -> Option<String> {
    let mut id = n.rem_euclid(3);
    let mut carts = BTreeMap::from([(0, Cart { lines: vec![1, 2] }), (1, Cart { lines: vec![3] })]);
    let lists = BTreeMap::from([(0, vec![4, 5]), (1, vec![6]), (2, vec![])]);
    for line in lists.get(&id).unwrap() {
        note(*line);
        tick().await;
    }
    for (number, line) in lists.values().max_by_key(|list| list.len())?.iter().enumerate() {
        note(number as i64 + act(*line).await);
    }
    for line in &lists.get(&id).unwrap()[..id as usize % 2] {
        note(*line);
        tick().await;
    }
    for line in &carts.get(&id)?.lines {
        note(*line);
        tick().await;
    }
    for line in carts.get_mut(&id)?.lines.iter_mut() {
        *line += act(*line).await;
    }
    for line in &mut carts.get_mut(&id).unwrap().lines {
        *line += act(*line).await;
    }
    for line in carts.get(&id).map(|cart| cart.lines.as_slice()).unwrap_or_default() {
        note(*line);
        tick().await;
    }
    id = 1 - id;
    for line in &carts[&id].lines {
        note(*line);
        tick().await;
    }
    for line in carts[&id].lines.iter().rev() {
        note(*line);
        tick().await;
    }
    let mut more = Some(vec![1]);
    for line in more.as_mut().unwrap() {
        *line += act(*line).await;
    }
    for (one, other) in more.as_ref()?.iter().zip(&carts[&id].lines) {
        note(add(*one, *other).await);
    }
    let text = fetch("a b").await;
    let (_, rest) = text.split_once(' ')?;
    for word in rest.split(' ') {
        note(fetch(word).await);
    }
    for letter in text.strip_prefix("value").unwrap_or("xy").chars() {
        note(letter);
        tick().await;
    }
    let rows = vec![vec![1, 2], vec![3]];
    for row in &rows {
        for cell in row.get(..1).unwrap() {
            if add(*cell, n).await > 2 {
                break;
            }
        }
    }
    let (left, right) = join!(
        async {
            let mut sum = 0;
            for cell in rows.first().unwrap() {
                sum += act(*cell).await;
            }
            sum
        },
        async {
            let mut sum = 0;
            for cell in rows.last().unwrap() {
                sum += act(*cell).await;
            }
            sum
        }
    );
    Some(format!("{carts:?}{left}{right}"))
}
