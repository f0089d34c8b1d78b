//! Moves in one branch only.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let owned = text(n).await;
    let result = if flag(n).await {
        let moved = owned;
        act(1).await;
        moved
    } else {
        act(2).await;
        format!("{owned}{owned}")
    };
    let next = text(9).await;
    if result.len() > 3 {
        drop(next);
        act(3).await;
        return result;
    }
    act(4).await;
    next
}
