//! `join!` and `select!` among the arguments of macros, with jumps in their arms.

#[workflow]
async fn program(n: i64) -> String {
    let both: Vec<String> = vec![String::new(), join!(concat("", ""), flag(0)).0];
    let text = format!(
        "{} {}",
        join!(act(n), fetch("x")).0,
        {
            select! {
                _ = tick() => {
                    if n > 5 {
                        return "early".to_owned();
                    }
                }
                a = act(3) => {
                    note(a);
                }
            }
            n
        }
    );
    assert!(select! { a = flag(n) => a || true, _ = tick() => true }, "{}", both.len());
    format!("{both:?} {text}")
}
