//! Borrows with which a loop or a labeled block is left, behind awaits.

#[derive(Debug)]
enum Found<'a> {
    At(&'a str),
    Nowhere,
}

#[workflow]
async fn program(n: i64) -> (String, i64) {
    let mut a = fetch("a").await;
    let b = fetch("b").await;
    let mut orders = vec![order(n).await, order(n + 1).await];
    let v = loop {
        tick().await;
        break &a;
    };
    note(v);
    let mut i = 0;
    // Held across an await, and chosen on several ways.
    let w = 'search: loop {
        if act(i).await > 3 {
            break &b;
        }
        i += 1;
        for at in 0..2 {
            if i > at + 1 && flag(i).await {
                break 'search &a;
            }
        }
        if i > 4 {
            break if n > 1 { &a } else { &b };
        }
    };
    let size = concat(w, "!").await.len();
    note(w);
    let mut at = 0;
    let line = loop {
        let o = &orders[at % 2];
        if o.lines.len() > 1 || at > 2 {
            break &orders[at % 2];
        }
        at += 1;
        tick().await;
    };
    tick().await;
    note(&line.customer);
    let name = 'found: {
        for o in &orders {
            if act(o.id).await > 100 {
                break 'found &a;
            }
        }
        if n > 2 {
            break 'found &b;
        }
        &a
    };
    tick().await;
    note(name);
    let found = match name.len() {
        0 => Found::Nowhere,
        _ => Found::At(name),
    };
    if let Found::At(text) = found {
        note(text);
    }
    let changed = loop {
        if let Some(first) = orders[0].lines.first() {
            note(first.count);
        }
        tick().await;
        break &mut orders[1];
    };
    changed.id += act(1).await;
    changed.customer.push('x');
    note(&changed.customer);
    a.push_str(&orders[1].customer);
    let length = add(loop { tick().await; break &a; }.len() as i64, size as i64).await;
    (a, length)
}
