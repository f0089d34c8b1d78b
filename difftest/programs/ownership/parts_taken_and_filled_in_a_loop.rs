//! A pattern takes parts that are filled again after an await.

#[workflow]
async fn program(n: i64) -> String {
    let mut pair = (Noisy::new("a"), Noisy::new("b"), n);
    let mut out = String::new();
    for i in 0..3 {
        let (a, _, k) = pair;
        out += a.name();
        out += &fetch("x").await;
        if i == k {
            drop(a);
            out += pair.1.name();
            pair.0 = Noisy::new("c");
            break;
        }
        pair.0 = Noisy::new(&fetch("d").await);
        pair.2 = i;
    }
    note(pair.0.name());
    tick().await;
    out + pair.1.name()
}
