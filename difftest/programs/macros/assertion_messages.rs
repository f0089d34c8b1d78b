//! Awaits in the messages of assertions: they run only if the assertion fails.

#[workflow]
async fn program(n: i64) -> i64 {
    let list = list(n).await;
    assert!(n < 12, "{} is too many for {n}", act(n).await);
    assert!(flag(n).await || n > 0, "{}{x}", fetch("why").await, x = act(1).await);
    assert_eq!(list, list.clone(), "{}", act(2).await);
    assert_ne!(act(n).await, act(5).await + note(0), "{:?} {}", list, fetch("same").await);
    debug_assert!(n != 2, "two: {}", act(3).await);
    debug_assert_eq!(list.len(), list.len(), "{}", note(1));
    list.len() as i64
}
