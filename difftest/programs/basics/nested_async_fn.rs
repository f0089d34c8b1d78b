//! An `async fn` in the body runs inline, also recursively.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64, Error> {
    async fn twice(n: i64) -> i64 {
        let a = act(n).await;
        a + act(a).await
    }
    async fn countdown(n: i64) -> Vec<i64> {
        if n <= 0 {
            return vec![];
        }
        let mut rest = Box::pin(countdown(n - 1)).await;
        rest.push(act(n).await);
        rest
    }
    async fn checked_twice(n: i64) -> Result<i64, Error> {
        Ok(try_act(n).await? + try_act(n - 2).await?)
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
