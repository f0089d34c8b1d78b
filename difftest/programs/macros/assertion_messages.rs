//! Awaits in what assertions compare; their messages do not await, and run only if the assertion fails.

#[workflow]
async fn program(n: i64) -> i64 {
    let list = list(n).await;
    if n >= 12 {
        panic!("{} is too many for {n}", act(n).await);
    }
    assert!(flag(n).await || n > 0, "{n}{x}", x = note(1));
    assert_eq!(list, list.clone(), "{}", note(2));
    assert_ne!(act(n).await, act(5).await + note(0), "{:?} {}", list, note(4));
    debug_assert!(n != 2, "two: {}", note(3));
    debug_assert_eq!(list.len(), list.len(), "{}", note(1));
    list.len() as i64
}
