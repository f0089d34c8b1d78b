//! A part that a method changes, and that is never read again.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut pair = (Noisy::new("left"), String::from("right"));
    match n {
        0 => {
            pair.1.push_str(" and changed");
        }
        1 => pair.0 = Noisy::new("other"),
        _ => {}
    }
    let seen = act(n).await;
    if seen > 2 {
        pair.1 = String::from("late");
        return 0;
    }
    tick().await;
    seen
}
