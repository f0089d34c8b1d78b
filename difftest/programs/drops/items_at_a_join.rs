//! The item of a loop is kept over branches of the body of which none uses it.

#[workflow]
async fn program(n: i64) -> i64 {
    for item in vec![Noisy::new("a"), Noisy::new("b")].into_iter().rev() {
        if n > 0 {
            note(item.name());
            note(letter(n).await);
        } else if n > 5 {
            note(flag(n).await);
        }
        note(2);
    }
    n
}
