//! Variables that get their value later.

crate::harness::program! {
    async fn deferred_init(cx: &Context, n: i64) -> (i64, String, i64) {
        let x;
        let name: String;
        if flag(n).await {
            x = step(1).await;
            name = "even".to_owned();
        } else {
            name = text(n).await;
            x = 5;
        }
        let y;
        step(x).await;
        match n {
            1 => y = 10,
            _ => {
                y = step(n).await;
                trace(y);
            }
        }
        step(4).await;
        (x, name, y)
    }
    (1) (2)
}
