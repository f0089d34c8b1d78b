//! What is lent by a look-up or an index that an await gives is used after another await.

use std::collections::BTreeMap;

#[workflow]
async fn by_index(n: i64) -> i64 {
    let list = vec![n, 20, 30];
    let number = &list[nth(act(n).await)];
    let made = &{ [n, 2, 3] }[nth(act(n + 1).await)];
    let literal = &vec![act(3).await, 2, 3][nth(act(n).await)];
    act(*number).await + *number + *made + *literal
}

#[workflow]
async fn to_change(n: i64) -> Vec<Vec<i64>> {
    let mut rows = vec![vec![n, 2, 3]; 3];
    let number = &mut rows[nth(act(n).await)][nth(act(n + 1).await)];
    *number += act(1).await;
    note(*number);
    let last = rows.get_mut(nth(act(n).await)).unwrap();
    last.push(act(5).await);
    note(last.len() as i64);
    rows
}

#[workflow]
async fn by_key(n: i64) -> i64 {
    let ages = BTreeMap::from([(fetch("a").await, n), (String::from("b"), 4)]);
    let age = ages.get(&fetch("a").await).unwrap_or(&3);
    let other = ages.get(fetch(&fetch("b").await).await.as_str()).copied();
    let same = &ages[&fetch("a").await];
    let Some(again) = ages.get(&fetch("a").await) else { return -1 };
    note(act(*age).await + *same);
    act(*again).await + *age + other.unwrap_or(9)
}

#[workflow]
async fn of_patterns(n: i64) -> i64 {
    let pairs = vec![(n, fetch("first").await), (2, String::from("second")), (3, String::new())];
    let (number, text) = &pairs[nth(act(n).await)];
    let (left, right) = (&pairs[nth(act(1).await)].1, &pairs[nth(act(n).await)].0);
    let Some((first, _)) = pairs.get(nth(act(n).await)) else { return 0 };
    let name = pairs[nth(act(n + 2).await)].1.as_str();
    let nth_text = &pairs.iter().nth(nth(act(n).await)).unwrap().1;
    note(act(*number + *right).await);
    fetch(name).await.len() as i64 + *first + (text.len() + left.len() + nth_text.len()) as i64
}

#[workflow]
async fn temporaries(n: i64) -> i64 {
    let list = vec![Noisy::new("one"), Noisy::new("two"), Noisy::new("three")];
    let found = list.get(weight(&make(n).await, act(n).await)).unwrap();
    note(1);
    act(n).await;
    let again = &list[weight(&make(n + 1).await, act(1).await)];
    note(2);
    act(2).await + (found.name().len() + again.name().len()) as i64
}

#[workflow]
async fn in_others(n: i64) -> i64 {
    let list = vec![n, 20, 30];
    let some = Some(&list[nth(act(n).await)]);
    let many = [&list[0], &list[nth(act(n + 1).await)]];
    let orders = vec![order(n).await, order(2).await, order(n + 3).await];
    let ref one = orders[nth(act(n).await)];
    let Order { ref customer, id, .. } = orders[nth(act(n + 2).await)];
    note(act(*some.unwrap() + *many[1] + id).await);
    note((one.lines.len() + customer.len()) as i64);
    match orders[nth(act(n).await)] {
        Order { ref customer, .. } if customer.len() > 10 => act(n).await + customer.len() as i64,
        ref order => act(order.id).await + order.id,
    }
}

#[workflow]
async fn found(n: i64) -> i64 {
    let mut order = order(n).await;
    order.lines = vec![Line { count: 1, sku: fetch("x").await }, Line { count: 5, sku: fetch("y").await }];
    let least = act(3).await.rem_euclid(4);
    let count = &mut order.lines.iter_mut().find(|line| line.count > least).unwrap().count;
    *count -= act(9).await;
    *count *= act(2).await;
    let ages = BTreeMap::from([(fetch("a").await, n), (String::from("b"), 4)]);
    let (name, age) = ages.get_key_value(&fetch("a").await).unwrap();
    let pair = ages.get_key_value("b");
    note(act(*age).await + name.len() as i64);
    order.lines[1].count + pair.map_or(0, |(_, age)| *age)
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(in_others(n).await);
    note(found(n).await);
    note(by_index(n).await);
    note(to_change(n).await.concat().iter().sum::<i64>());
    note(by_key(n).await);
    note(of_patterns(n).await);
    temporaries(n).await
}

fn nth(number: i64) -> usize {
    number.rem_euclid(3) as usize
}

fn weight(noisy: &Noisy, number: i64) -> usize {
    nth(noisy.name().len() as i64 + number)
}

#[workflow]
async fn make(n: i64) -> Noisy {
    Noisy::new(fetch(&n.to_string()).await)
}
