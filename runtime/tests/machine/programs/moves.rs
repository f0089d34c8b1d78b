//! Moves in one branch only.

crate::harness::program! {
    async fn moves(cx: &Context, n: i64) -> String {
        let owned = text(n).await;
        let result = if flag(n).await {
            let moved = owned;
            step(1).await;
            moved
        } else {
            step(2).await;
            format!("{owned}{owned}")
        };
        let next = text(9).await;
        if result.len() > 3 {
            drop(next);
            step(3).await;
            return result;
        }
        step(4).await;
        next
    }
    (1) (2) (10)
}
