//! Several lists side by side, with numbers.

#[workflow]
async fn program(n: i64) -> i64 {
    let (a, b, c) = (list(n).await, list(n + 1).await, list(3).await);
    let mut d = list(4).await;
    let mut sum = 0;
    for ((number, one), two) in a.iter().enumerate().zip(&b) {
        sum += add(*one + number as i64, *two).await;
    }
    for (number, (one, two)) in a.iter().zip(b.iter()).enumerate() {
        sum += add(*one + number as i64, *two).await;
    }
    for ((one, two), three) in a.iter().zip(&b).zip(&c) {
        sum += add(*one + *three, *two).await;
    }
    for (one, (number, two)) in a.iter().zip(b.iter().enumerate().skip(1)) {
        sum += add(*one + number as i64, *two).await;
    }
    for ((number, one), (other, two)) in c.iter().enumerate().zip(d.iter_mut().enumerate()) {
        *two += add(*one + number as i64, other as i64).await;
    }
    note(d);
    sum
}
