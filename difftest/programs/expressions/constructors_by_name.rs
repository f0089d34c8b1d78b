//! Constructors of variants and structures, used as functions by a name of their own across awaits.

struct Cents(i64);

#[workflow]
async fn program(n: i64) -> (Shape, Shape) {
    let rect = Shape::Rect;
    let cents = Cents;
    let a = rect(1, act(n).await);
    let known = Some;
    let done = known(act(n + 1).await);
    let total = cents(n).0;
    let all: Vec<Option<i64>> = [n, act(3).await].into_iter().map(known).collect();
    let sum = all.into_iter().chain([done]).flatten().sum::<i64>();
    (a, rect(total + sum, act(2).await))
}
