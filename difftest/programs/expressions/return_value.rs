//! Awaits inside `return`.

#[workflow]
#[allow(unreachable_code)]
async fn program(n: i64) -> i64 {
    if n == 0 {
        return act(n).await + note(1);
    }
    if flag(n).await {
        return add(act(n).await, { return act(5).await }).await;
    }
    act(n + 100).await
}
