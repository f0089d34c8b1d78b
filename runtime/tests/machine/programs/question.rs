//! `?` on results and options, in opaque code and next to awaits.

crate::harness::program! {
    async fn question(cx: &Context, n: i64) -> Result<i64, Broken> {
        let n = n;
        ensure!(n < 50 && checked(n).await? < 100);
        let a = checked(n).await?;
        let b = checked(a - 3).await? + checked(a).await?;
        let mut total = 0;
        for i in 0..3 {
            total += checked(i - n + 1).await?;
        }
        let parsed: i64 = "12".parse().map_err(|_| Broken("parse".into()))?;
        ensure!(total < 1000, "too many: {total}");
        if b > 100 {
            bail!("b is {b}");
        }
        Ok(a + b + total + parsed)
    }
    (1) (2) (3) (-1) (50)
}
