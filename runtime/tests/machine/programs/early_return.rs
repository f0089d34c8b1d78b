//! `return` in every place.

crate::harness::program! {
    async fn early_return(cx: &Context, n: i64) -> i64 {
        if n == 0 {
            return -1;
        }
        for i in 0..10 {
            let x = step(i).await;
            if x > n * 10 {
                return x;
            }
            match i {
                5 => return step(100).await,
                4 if n == 7 => {
                    trace("four");
                    return 4;
                }
                _ => {}
            }
        }
        let closure = |x: i64| {
            if x > 1 {
                return 1;
            }
            x
        };
        closure(n)
    }
    (0) (2) (7) (9)
}
