//! Branches whose value is not wanted give one of one type, which is dropped when the statement ends.

#[workflow]
async fn program(n: i64) -> i64 {
    if n > 1 { Some(act(1).await) } else { None };
    match n {
        0 => vec![act(1).await],
        _ => vec![],
    };
    if n > 2 {
        let inner = Noisy::new("inner");
        tick().await;
        (inner, Noisy::new("made"))
    } else {
        tick().await;
        (Noisy::new("a"), Noisy::new("b"))
    };
    note("between");
    match (Noisy::new("matched"), n) {
        (matched, 1) => {
            tick().await;
            Some(matched)
        }
        (_, 2) => {
            tick().await;
            Some(Noisy::new("other"))
        }
        _ => None,
    };
    note("end");
    if n == 7 { return act(2).await } else { None::<i64> };
    n
}
