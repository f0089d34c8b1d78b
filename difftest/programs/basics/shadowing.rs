//! The same name in every scope, also in macros.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let n = n - 1;
    let x = act(n).await;
    let x = format!("{x}!");
    let y = {
        let x = act(7).await;
        let x = x + 1;
        format!("{x}{}", x)
    };
    let f = |x: i64| x + 1;
    for x in 0..2 {
        act(x).await;
        note(format_args!("{x}"));
    }
    let x = match maybe(n).await {
        Some(x) if x > 0 => {
            let text = text(x).await;
            format!("{text}{x:>5}")
        }
        _ => x.clone(),
    };
    let z = if let Some(x) = Some(3) { act(x).await + f(x) } else { 0 };
    format!("{x} {y} {z} {0}", vec![1, 2].iter().map(|x| x * 2).sum::<i64>())
}
