//! `std::mem` on locals that live across awaits.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, Vec<i64>) {
    let mut a = list(n).await;
    let mut b = list(n + 1).await;
    std::mem::swap(&mut a, &mut b);
    a.push(act(1).await);
    let taken = std::mem::take(&mut b);
    tick().await;
    b.extend(taken.iter().map(|x| x * 2));
    (a, b)
}
