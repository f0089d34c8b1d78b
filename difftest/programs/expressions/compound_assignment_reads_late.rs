//! The old value is read after the right side has been evaluated.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut x = n;
    x += {
        x = 100;
        act(1).await
    };
    x
}
