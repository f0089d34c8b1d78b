//! The guard of a `matches!` uses what is left of a value of which a part has been moved out.

#[workflow]
async fn in_a_condition(n: i64) -> i64 {
    let o = order(n).await;
    let c = o.customer;
    tick().await;
    if matches!(n, k if k > 3 && o.id > 0) { act(c.len() as i64).await } else { 0 }
}

#[workflow]
async fn in_a_statement(n: i64) -> i64 {
    let o = order(n).await;
    let c = o.customer;
    tick().await;
    if matches!(n, 3.. if o.id > 0) {
        note(o.lines.len());
    }
    act(c.len() as i64).await
}

#[workflow]
async fn in_a_closure(n: i64) -> i64 {
    let o = order(n).await;
    let c = o.customer;
    let names = words("a b").await;
    tick().await;
    let found = names.iter().filter(|name| matches!(name.len(), l if l as i64 != o.id)).count();
    let any = matches!((n, &c), (o, c) if o > 2 && !c.is_empty());
    act(found as i64).await + any as i64 + o.lines.len() as i64
}

#[workflow]
async fn program(n: i64) -> i64 {
    let first = in_a_condition(n).await;
    let second = in_a_statement(n).await;
    first + second + in_a_closure(n).await
}
