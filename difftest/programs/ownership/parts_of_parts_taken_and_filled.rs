//! Parts of parts are moved out and filled, or what holds them, on different ways through a loop.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut nested = ((String::from("a"), String::from("b")), Noisy::new("c"));
    let mut round = 0;
    while round < 3 {
        round += 1;
        let moved = nested.0.1;
        if flag(round).await {
            nested.0 = (moved, fetch("new").await);
        } else if n > 2 {
            nested.0.1 = moved + "!";
            nested.1 = Noisy::new(fetch("noisy").await);
        } else {
            drop(nested.1);
            act(round).await;
            nested = ((String::from("x"), moved), Noisy::new("y"));
        }
        note(nested.0.0.clone());
    }
    note(nested.0.1);
    act(n).await;
    nested.1.name().len() as i64
}
