//! The same name in every scope, also in macros.

crate::harness::program! {
    async fn shadowing(cx: &Context, n: i64) -> String {
        let x = step(n).await;
        let x = format!("{x}!");
        let y = {
            let x = step(7).await;
            let x = x + 1;
            format!("{x}{}", x)
        };
        let f = |x: i64| x + 1;
        for x in 0..2 {
            step(x).await;
            trace(format_args!("{x}"));
        }
        let x = match maybe(n).await {
            Some(x) if x > 0 => {
                let text = text(x).await;
                format!("{text}{x:>5}")
            }
            _ => x.clone(),
        };
        let z = if let Some(x) = Some(3) { step(x).await + f(x) } else { 0 };
        format!("{x} {y} {z} {0}", vec![1, 2].iter().map(|x| x * 2).sum::<i64>())
    }
    (1) (-1)
}
