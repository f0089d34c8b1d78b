//! Literals whose types default or follow from a use after an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let small = 3;
    let mut count = 0;
    let ratio = 0.5;
    tick().await;
    count += 1;
    let byte: u8 = small;
    tick().await;
    n + i64::from(byte) + count + (ratio * 4.0) as i64
}
