//! Of a `join!` of which a part is used, the rest goes with the statement.

#[workflow]
async fn program(n: i64) -> i64 {
    if join!(flag(n), async { vec![Noisy::new("a"), Noisy::new(fetch("b").await)] }).0 && n > 0 {
        let _other = Noisy::new("then");
        note(1);
    } else {
        note(2);
    }
    let sum = join!(act(n), async { Noisy::new(fetch("c").await) }).0 + n;
    note(sum);
    sum
}
