//! `&&` and `||` evaluate their right side only if they need it.

#[workflow]
async fn program(cx: &Context, n: i64) -> (bool, bool, bool) {
    let a = flag(n).await && flag(n + 2).await;
    let b = flag(n).await || flag(n + 1).await;
    let c = note(n > 1) && (flag(n).await || note(true)) && !flag(3).await;
    (a, b, c)
}
