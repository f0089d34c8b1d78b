//! A value of which a part has been used is replaced as a whole where only another part is needed.

#[workflow]
async fn program(n: i64) -> String {
    let mut pair = (n, String::from("a"));
    let mut kept = (Noisy::new("left"), Noisy::new("right"));
    let _taken = kept.0;
    let first = pair.0;
    let _ = match n {
        x if x % 2 == 0 => note(first),
        x if note(x) > 0 => {
            kept.0 = Noisy::new("filled");
            kept = (Noisy::new("new left"), Noisy::new("new right"));
            x
        }
        x => x,
    };
    for round in 0..n {
        if round == 1 {
            note(fetch("x").await);
        }
        pair.1.push('b');
        if round > 1 {
            pair = (round, String::from("c"));
            pair.1.push('d');
            pair.0 += 1;
        }
        pair.1.push('e');
        if pair.1.len() > 4 {
            break;
        }
    }
    pair.1 += &fetch("y").await;
    pair.1.push('f');
    pair = (pair.1.len() as i64, fetch("z").await);
    let text = format!("{pair:?}");
    note(text.len());
    text
}
