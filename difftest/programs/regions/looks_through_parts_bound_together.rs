//! Branches look at the same time through parts that a pattern binds to change them.

#[workflow]
async fn program(n: i64) -> i64 {
    let Order { customer: ref mut name, ref mut lines, .. } = order(n).await;
    let (a, b) = join!(async { fetch(&name.clone()).await + &lines.len().to_string() }, async {
        lines.len() as i64 + fetch(&(*name).clone()).await.len() as i64
    });
    name.push('x');
    lines.pop();
    note((name.len(), lines.len()));
    note((a, b));
    let mut pair = (String::from("a"), String::from("b"));
    let (ref mut x, ref mut y) = pair;
    tick().await;
    x.push('c');
    let (c, d) =
        join!(async { fetch(x.as_str()).await }, async { fetch(&format!("{x}{y}")).await });
    y.push_str(&c);
    note(d);
    note(&pair);
    1
}
