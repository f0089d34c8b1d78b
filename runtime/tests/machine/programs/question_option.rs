//! `?` on options.

crate::harness::program! {
    async fn question_option(cx: &Context, n: i64) -> Option<i64> {
        let a = maybe(n).await?;
        let b = [1, 2, 3].get(n as usize).copied()?;
        let c = maybe(b - 3).await?;
        Some(a + b + c)
    }
    (-1) (1) (2) (3)
}
