//! What is borrowed of a value that is made for that is borrowed again, and only that is used behind an
//! await.

#[derive(Debug)]
struct Unsaved(i64);

#[workflow]
async fn in_depth(n: i64) -> i64 {
    // Nothing of it is needed behind the await.
    let only_read = &Unsaved(n);
    let read = only_read.0;
    act(read).await;
    let (a, b) = (&mut fetch("a").await, &fetch("b").await);
    let (c, d) = (&mut *a, &**b);
    act(1).await;
    c.push_str(d);
    let loaded = &order(n).await;
    let customer = loaded.customer.as_str();
    let (name, lines) = (&loaded.customer, &loaded.lines);
    act(3).await;
    read + (c.len() + customer.len() + name.len() + lines.len()) as i64
}

#[workflow]
async fn program(n: i64) -> (i64, String, Vec<i64>) {
    let a = &mut fetch("x").await;
    let b = &mut (*a);
    act(n).await;
    b.push('c');
    act(n).await;
    b.push('d');
    let list = &mut vec![n];
    let part = &mut *list;
    let whole = &mut **part;
    act(n).await;
    whole[0] += 2;
    let shared = &vec![n, 2];
    let rest = &shared[1..];
    let again = &*rest;
    act(1).await;
    note(again.len() as i64);
    let shared = &vec![n, 2];
    let same = shared;
    act(1).await;
    note(same.len() as i64);
    let loaded = &mut order(n).await;
    let lines = &mut loaded.lines;
    for line in lines.iter_mut() {
        line.count += act(line.count).await;
    }
    let loaded = &mut order(n).await;
    let lines = &mut loaded.lines;
    if let Some(line) = lines.first_mut() {
        line.count += act(line.count).await;
        note(line.count);
    }
    (in_depth(n).await, b.clone(), part.clone())
}
