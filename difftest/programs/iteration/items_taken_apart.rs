//! What a loop over a borrow gives is gone through, matched and taken apart in turn.

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Part {
    Text(String),
    Group { name: String, parts: Vec<Part> },
    Pair(i64, Option<String>),
}

#[workflow]
async fn program(n: i64) -> i64 {
    let grid = vec![vec![n, 1, 2], vec![], vec![act(n).await]];
    let mut sum = 0;
    for row in &grid {
        for cell in row {
            sum += add(*cell, n).await;
            note(cell);
        }
        for &cell in row {
            sum += act(cell).await + cell;
        }
        if let [first, rest @ ..] = row.as_slice() {
            note(act(*first).await);
            note((first, rest));
        }
    }
    for (at, row) in grid.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            sum ^= act(*cell).await;
            note((at, column, cell));
        }
        for cell in row {
            sum += act(*cell).await * at as i64 + *cell;
        }
    }
    let parts = vec![
        Part::Text(fetch("a").await),
        Part::Group {
            name: "group".to_owned(),
            parts: vec![Part::Pair(n, Some("x".into())), Part::Text(String::new())],
        },
        Part::Pair(n + 1, None),
    ];
    for part in &parts {
        match part {
            Part::Text(text) if text.is_empty() => sum += 1,
            Part::Text(text) => {
                note(fetch(text).await);
                note(text);
            }
            Part::Group { name, parts } => {
                for inner in parts {
                    note(fetch(name).await);
                    match inner {
                        Part::Pair(count, name) => {
                            sum += act(*count).await;
                            if let Some(name) = name {
                                tick().await;
                                note((count, name));
                            }
                        }
                        other => {
                            tick().await;
                            note(other);
                        }
                    }
                }
                note((name, parts.len()));
            }
            Part::Pair(count, text) => {
                let Some(text) = text else {
                    sum += act(*count).await + count;
                    continue;
                };
                note(text);
            }
        }
    }
    for (part, row) in parts.iter().zip(&grid) {
        let Part::Pair(count, _) = part else { continue };
        tick().await;
        note((count, row));
    }
    sum
}
