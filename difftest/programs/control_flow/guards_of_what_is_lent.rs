//! Guards that await look at what has been looked up or borrowed for the `match`.
#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    let (l, m) = (list(n).await, table(n).await);
    match l.last() {
        Some(x) if flag(*x).await => {
            tick().await;
            out.push(*x);
        }
        x if act(n).await % 2 == 0 => {
            tick().await;
            out.extend(x);
        }
        Some(x) => {
            tick().await;
            out.push(*x);
        }
        None => tick().await,
    }
    match l.iter().enumerate().max_by_key(|(_, x)| **x) {
        Some((i, x)) if flag(*x + i as i64).await => {
            tick().await;
            out.push(*x + i as i64);
        }
        _ => tick().await,
    }
    let o = &order(n).await;
    match o {
        Order { customer, lines, .. } if flag(customer.len() as i64).await => {
            tick().await;
            out.push(lines.len() as i64);
        }
        whole => {
            tick().await;
            out.push(whole.id);
        }
    }
    let mut o = order(2).await;
    match (&mut o.customer, &mut o.lines) {
        (c, l) if l.is_empty() => {
            tick().await;
            c.push('x');
        }
        (c, l) => {
            tick().await;
            c.push('y');
            tick().await;
            l.pop();
        }
    }
    note(o);
    out
}
