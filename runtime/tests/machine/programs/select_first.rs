//! The first branch that is ready wins; handlers await and have values.

crate::harness::program! {
    async fn select_first(cx: &Context, n: i64) -> i64 {
        let x = select! {
            a = step(n) => a + 1,
            b = step(n + 1) => {
                trace("second");
                let c = step(b).await;
                b + c
            }
        };
        select! {
            _ = cx.sleep(std::time::Duration::from_secs(3)) => trace("timer"),
            approve = cx.signal::<Approve>() => trace(approve.by),
        }
        select! {
            _ = step(1), if n > 1 => trace("one"),
            y = maybe(n), if n < 5 => {
                let Some(y) = y else { return 0 };
                trace(y);
            }
            _ = step(3) => {}
        }
        x
    }
    (1) (2) (6)
}
