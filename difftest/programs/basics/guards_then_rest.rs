//! Checks that suspend and leave, then straight code with borrows.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let name = text(n).await;
    let view = name.as_str();
    if view.len() > 3 {
        act(1).await;
        return "long".to_owned();
    }
    let Some(first) = view.chars().next() else {
        act(2).await;
        return "empty".to_owned();
    };
    let upper = match first {
        '<' => view.to_uppercase(),
        _ => {
            act(3).await;
            return "odd".to_owned();
        }
    };
    act(4).await;
    upper
}
