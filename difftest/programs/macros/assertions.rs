//! Awaits inside of assertions; some of them fail.

#[workflow]
async fn program(n: i64) -> i64 {
    assert!(act(n).await >= 0, "negative at {n}");
    assert_eq!(act(1).await, 4);
    assert_ne!(act(n).await, 16, "it was {}", note(n));
    debug_assert!(flag(2).await);
    act(n + 1).await
}
