//! An `async fn` in the body runs inline, also recursively.

crate::harness::program! {
    async fn nested_async_fn(cx: &Context, n: i64) -> Result<i64, Broken> {
        async fn twice(n: i64) -> i64 {
            let a = step(n).await;
            a + step(a).await
        }
        async fn countdown(n: i64) -> Vec<i64> {
            if n <= 0 {
                return vec![];
            }
            let mut rest = Box::pin(countdown(n - 1)).await;
            rest.push(step(n).await);
            rest
        }
        async fn checked_twice(n: i64) -> Result<i64, Broken> {
            Ok(checked(n).await? + checked(n - 2).await?)
        }
        fn at_once(n: i64) -> i64 {
            n
        }
        let a = twice(n).await;
        let list = countdown(n).await;
        let b = checked_twice(at_once(n)).await?;
        let (c, d) = join!(twice(1), twice(2));
        Ok(a + b + c + d + list.len() as i64)
    }
    (1) (2) (3)
}
