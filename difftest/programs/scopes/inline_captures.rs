//! A format string captures the variable that is in scope, and named arguments are no captures.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    if n < 0 {
        let n = String::new();
        note(n);
    } else {
        cx.sleep(seconds(2)).await;
    }
    let first = format!("{n}");
    let named = format!("{b:?}", b = String::new());
    match shape(n).await {
        Shape::Rect(a, b) => {
            note(format!("{a} {b}"));
            tick().await;
        }
        _ => note(()),
    }
    let b = act(n).await;
    let shadowed = format!("{b} {}", "{b} stays as it is");
    let b = fetch("later").await;
    let width = 9;
    tick().await;
    let width = width + 3;
    let padded = format!("{:>width$}|{b:>2$}|{}", act(n).await, "{width}", width);
    format!("{first} {named} {shadowed} {b} {padded} {n}", n = act(2).await)
}
