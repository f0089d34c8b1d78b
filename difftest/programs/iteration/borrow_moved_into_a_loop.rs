//! `for` over a local that borrows a list to change it: `let lines = &mut order.lines; for line in lines { … }`.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Cart {
    Lines(Vec<i64>),
    Named { counts: BTreeMap<String, i64> },
    Empty,
}

#[workflow]
async fn program(n: i64) -> (Vec<i64>, Vec<Vec<i64>>, Cart, BTreeMap<String, Vec<i64>>) {
    let mut numbers = list(n + 3).await;
    let all = &mut numbers;
    for number in all {
        *number += act(*number).await;
        if *number > 60 {
            numbers.push(3);
            break;
        }
    }
    let mut rows = vec![list(n).await, list(n + 1).await];
    let row = &mut rows[0];
    row.push(1);
    for cell in row {
        *cell += act(2).await;
    }
    for row in &mut rows {
        row.push(act(1).await);
        for cell in row {
            *cell += act(*cell).await;
        }
    }
    let (first, others) = rows.split_at_mut(1);
    for row in others {
        row.push(act(n).await);
    }
    let which = if n > 2 { &mut first[0] } else { &mut numbers };
    for cell in which {
        *cell += act(n).await;
    }
    let mut cart = match n.rem_euclid(3) {
        0 => Cart::Lines(list(n + 3).await),
        1 => Cart::Named { counts: table(n + 2).await },
        _ => Cart::Empty,
    };
    match &mut cart {
        Cart::Lines(lines) => {
            for line in lines {
                *line += act(*line).await;
            }
        }
        Cart::Named { counts } => {
            for (name, count) in counts {
                *count += act(name.len() as i64).await;
            }
        }
        Cart::Empty => {}
    }
    let mut shelves = BTreeMap::from([("a".to_owned(), list(n).await)]);
    let shelf = shelves.entry("a".to_owned()).or_default();
    for item in shelf {
        *item += act(*item).await;
    }
    if let Some(shelf) = shelves.get_mut("a") {
        shelf.push(1);
        for item in shelf {
            *item += act(2).await;
        }
    }
    (numbers, rows, cart, shelves)
}
