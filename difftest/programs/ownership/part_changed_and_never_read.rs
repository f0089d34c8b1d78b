//! A part that a method changes, and that is never read again.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut pair = (part(Noisy::new("left")), part(Noisy::new("right")));
    match n {
        0 => {
            pair.1.rename("changed");
        }
        1 => pair.0 = part(Noisy::new("other")),
        _ => {}
    }
    let seen = act(n).await;
    if seen > 2 {
        pair.1 = part(Noisy::new("late"));
        return 0;
    }
    tick().await;
    seen
}
