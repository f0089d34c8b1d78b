//! An await in the condition of `while`, evaluated anew each time.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut x = n;
    let mut rounds = 0;
    while rounds < 6 && act(x).await % 4 != 0 {
        x = note(x + 1);
        rounds += 1;
    }
    x * 10 + rounds
}
