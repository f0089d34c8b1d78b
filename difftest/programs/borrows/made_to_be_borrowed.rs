//! Values that are made only to be borrowed for longer than a statement, which a local of its own holds.

fn make(name: &str) -> Noisy {
    Noisy::new(name)
}

fn texts(n: i64) -> Vec<String> {
    vec![n.to_string(), "b".to_owned()]
}

fn both(n: i64) -> (Noisy, Option<Noisy>) {
    (make("one"), (n % 2 == 0).then(|| make("two")))
}

#[workflow]
async fn order_of(n: i64) -> Order {
    order(n + 1).await
}

#[workflow]
async fn sums(n: i64) -> i64 {
    let given = &order(n).await;
    let sums = &mut vec![];
    for line in &given.lines {
        sums.push(act(line.count).await);
    }
    tick().await;
    sums.push(given.lines.len() as i64);
    let Order { customer, lines, .. } = &order_of(n).await;
    let count = act(lines.len() as i64).await;
    sums.iter().sum::<i64>() + count + customer.len() as i64
}

#[workflow]
async fn parts(n: i64) -> String {
    let made = &texts(n);
    let said = fetch("a").await;
    let first = &texts(n + 1)[0];
    let spare = &mut Vec::<String>::new();
    spare.push(n.to_string());
    for at in 0..2 {
        note(act(at).await);
    }
    let (left, right) = (&fetch(first).await, &texts(n));
    let said = concat(&said, &made[1]).await;
    let wrapped = Some(&texts(7));
    let said = concat(&said, left).await + first + &right[0];
    said + wrapped.map_or("", |texts| texts[0].as_str())
}

#[workflow]
async fn program(n: i64) -> (String, i64) {
    let before = make("before");
    let held = &mut make("held");
    let after = make("after");
    held.rename("renamed");
    tick().await;
    let (ref one, Some(ref two)) = both(n) else {
        note("none");
        return (held.name().to_owned(), 0);
    };
    note("some");
    tick().await;
    note(one.name());
    let Some(found) = &Some(make("found")) else { return (String::new(), 1) };
    let said = fetch(found.name()).await;
    let said = said + found.name() + two.name() + before.name() + after.name() + held.name();
    if let Some(x) = &Some(make("if")) {
        tick().await;
        note(x.name());
        tick().await;
        note("end of if");
    } else {
        tick().await;
    }
    if let (Some(x), _) = (&Some(make("a")), 3)
        && let Some(y) = &Some(make(x.name()))
    {
        tick().await;
        note(x.name());
        note(y.name());
    }
    match &both(n) {
        (x, None) => {
            tick().await;
            note(x.name());
        }
        (x, Some(y)) => {
            note(y.name());
            tick().await;
            note(x.name());
        }
    }
    note("end");
    (said + &parts(n).await, sums(n).await)
}
