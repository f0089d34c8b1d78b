//! Alternatives bind parts of several borrows side by side, over awaits and with guards that await.
#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    let (a, b) = if n > 1 { (Some(n), None) } else { (None, Some(4)) };
    match (&a, &b) {
        (Some(x), None) | (None, Some(x)) => {
            tick().await;
            out.push(*x);
            tick().await;
            out.push(*x);
        }
        _ => out.push(act(9).await),
    }
    if let (Some(x), None) | (None, Some(x)) = (&a, &b) {
        tick().await;
        out.push(*x);
    }
    let (p, q) = (&a, &b);
    match (p, q) {
        (Some(x), _) | (_, Some(x)) => {
            tick().await;
            out.push(*x);
        }
        (None, None) => {}
    }
    match (&a, &b) {
        pair => {
            tick().await;
            out.extend(pair.0);
            out.extend(pair.1);
        }
    }
    let (l, m) = (list(n).await, table(n).await);
    match (l.first(), m.get("a")) {
        (Some(x), None) | (None, Some(x)) => {
            out.push(act(*x).await);
            out.push(*x);
        }
        (Some(x), Some(y)) => {
            out.push(act(*x).await);
            out.push(*y);
        }
        (None, None) => {}
    }
    if let (Some(x), _) | (_, Some(x)) = (l.get(n as usize), m.values().next()) {
        out.push(act(1).await);
        out.push(*x);
    }
    match (l.last(), &m) {
        (Some(x), _) if flag(*x).await => {
            tick().await;
            out.push(*x);
        }
        (x, m) if act(m.len() as i64).await % 2 == 0 => {
            tick().await;
            out.extend(x);
        }
        (None, m)
            if {
                tick().await;
                m.is_empty()
            } => {}
        (x, m) => {
            tick().await;
            out.push(m.len() as i64);
            out.extend(x);
        }
    }
    let (c, d) = (fetch("a").await, find(n).await);
    match (&c, &d) {
        (c, Some(d)) if flag(c.len() as i64).await && c != d => {
            tick().await;
            note(format!("{c}{d}"));
        }
        (d, Some(_)) | (d, _)
            if {
                tick().await;
                d.len() > 3
            } =>
        {
            tick().await;
            out.push(d.len() as i64);
        }
        (c, _) => {
            tick().await;
            note(c.clone());
        }
    }
    match (&a, (&b, &c)) {
        (None, (Some(x), name)) | (Some(x), (_, name)) => {
            tick().await;
            out.push(*x);
            note(name.len());
        }
        _ => {}
    }
    let shapes = (shape(n).await, shape(2).await);
    match (&shapes.0, &shapes.1) {
        (Shape::Rect(x, _), _) | (_, Shape::Rect(x, _)) | (Shape::Circle { radius: x }, _) => {
            tick().await;
            out.push(*x);
        }
        (one, other) => {
            tick().await;
            note(one == other);
        }
    }
    out
}
