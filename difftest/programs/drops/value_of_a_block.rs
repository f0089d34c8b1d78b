//! A value that a block with statements gives is kept over branches like any other.

#[workflow]
async fn program(n: i64) -> i64 {
    let kept;
    if n > 1 {
        kept = Vec::from([{
            let name = String::from("a");
            Noisy::new(name.clone() + "b")
        }]);
    } else {
        kept = vec![Noisy::new("c"), Noisy::new(fetch("d").await)];
    }
    note(kept.len());
    match note(n) {
        1 => note(1),
        _ if n % 2 == 0 => note(2),
        _ => note(3),
    };
    note(4)
}
