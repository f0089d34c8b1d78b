//! Borrows of locals and literals are made again.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    const GREETING: &str = "hello";
    static LIMITS: [i64; 3] = [1, 2, 3];
    let order = (text(n).await, vec![1, 2, 3]);
    let name = &order.0;
    let items: &Vec<i64> = &order.1;
    let literal = "literal";
    let greeting = GREETING;
    let limits = &LIMITS;
    let alias = name;
    act(1).await;
    let mut out = format!("{name} {} {literal} {greeting} {}", items.len(), limits[1]);
    let target = &mut out;
    act(2).await;
    target.push_str(alias);
    for i in 0..2 {
        act(i).await;
        target.push_str(literal);
    }
    out
}
