//! `for` over ranges of several kinds.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for i in 0..n.min(3) {
        sum += act(i).await;
    }
    for i in (0..=2).rev() {
        sum += act(note(i)).await;
    }
    for letter in 'a'..='c' {
        fetch(&letter.to_string()).await;
    }
    for i in (1_u8..9).step_by(3) {
        sum += i64::from(i) + act(i.into()).await;
    }
    sum
}
