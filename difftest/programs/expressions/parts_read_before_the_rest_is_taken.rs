//! Numbers that are in a value are copied before a later operand uses up the value, or what they are in.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cart {
    id: i64,
    at: (i64, i64),
    items: Vec<i64>,
    name: String,
    inner: Inner,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Inner {
    count: i64,
    names: Vec<String>,
}

fn cart(n: i64) -> Cart {
    let inner = Inner { count: n, names: vec!["x".to_owned()] };
    Cart { id: n, at: (n, 2), items: vec![n, 4], name: format!("c{n}"), inner }
}

fn take(cart: Cart) -> i64 {
    note(cart.name);
    cart.id
}

fn add3(a: i64, b: i64, c: i64) -> i64 {
    a * 100 + b * 10 + c
}

#[workflow]
async fn compared(n: i64) -> Vec<bool> {
    let mut is = Vec::new();
    let v = cart(n);
    is.push(v.id == act({ take(v) }).await);
    let v = cart(n);
    is.push((v.at.0) < act(take(v)).await);
    let v = cart(n);
    is.push(v.inner.count < { let w = v; act(w.id).await });
    let v = cart(n);
    is.push(v.inner.count < { let w = v.inner; act(w.count).await });
    let v = cart(n);
    is.push(v.inner.count == { drop(v.inner); act(1).await } || v.id == { drop(v.name); act(1).await });
    let v = cart(n);
    is.push(v.items[0] == act(take(v)).await);
    let v = cart(n);
    is.push(v.items[1] == { let items = v.items; act(items[1]).await });
    let v = Box::new(cart(n));
    is.push(v.id == act(take(*v)).await);
    let v = Some(cart(n));
    if let Some(c) = v && c.id == act(take(c)).await {
        note("same");
    }
    let v = cart(n);
    assert!(v.id < 1000 + act(take(v)).await);
    let pair = (cart(n), cart(2));
    is.push(pair.0.id == act(take(pair.0)).await);
    is.push(pair.1.id == { if n > 2 { drop(pair.1) } act(4).await });
    let v = cart(n);
    is.push(!(v.id > 3 && v.at.0 > act(take(v)).await));
    for v in vec![cart(1), cart(2)] {
        if v.id == act(take(v)).await {
            is.push(true);
        }
    }
    // What is read through a borrow stays where it is.
    let v = &cart(n);
    is.push(v.name == fetch(&v.name).await);
    is.push(v.name == name_of(v).clone() + &fetch("a").await);
    is
}

fn name_of(cart: &Cart) -> &String {
    &cart.name
}

#[workflow]
async fn program(n: i64) -> (Vec<bool>, Vec<i64>) {
    let mut all = Vec::new();
    let v = cart(n);
    all.push(v.id.max(act(take(v)).await));
    let v = cart(n);
    all.push(v.inner.count.min(act({ let inner = v.inner; inner.count }).await));
    let v = cart(n);
    all.push(add3(v.id, act(take(v)).await, 3));
    let v = cart(n);
    all.push(add3(v.inner.count, act({ let inner = v.inner; inner.count }).await, 3));
    let v = cart(n);
    all.push(v.items.len() as i64 + act(take(v)).await);
    let v = cart(n);
    let (a, b, c) = (v.id, { v }.at.1, act(3).await);
    all.extend([a, b, c]);
    let v = cart(n);
    all.extend([v.inner.count, { let inner = v.inner; act(inner.count).await }, v.id]);
    let v = cart(n);
    let w = Inner { count: v.inner.count, names: words(&{ v.inner }.names[0]).await };
    note(w);
    let v = cart(n);
    let mut sum = v.id;
    sum += v.id - act(take(v)).await;
    all.push(sum);
    let mut v = cart(n);
    v.at.0 = v.at.1 + act(v.at.0).await;
    let ends = [v.at, { let w = v; (act(w.id).await, w.at.1) }];
    all.push(ends[0].0 + ends[1].1);
    let v = cart(n);
    all.extend((v.id..v.at.0 + act(take(v)).await).take(4));
    (compared(n).await, all)
}
