//! Checks that suspend and leave, then straight code with borrows.

crate::harness::program! {
    async fn guards_then_rest(cx: &Context, n: i64) -> String {
        let name = text(n).await;
        let view = name.as_str();
        if view.len() > 3 {
            step(1).await;
            return "long".to_owned();
        }
        let Some(first) = view.chars().next() else {
            step(2).await;
            return "empty".to_owned();
        };
        let upper = match first {
            '<' => view.to_uppercase(),
            _ => {
                step(3).await;
                return "odd".to_owned();
            }
        };
        step(4).await;
        upper
    }
    (1) (100)
}
