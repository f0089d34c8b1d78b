//! A literal chosen by a match and used after awaits.

#[workflow]
async fn program(n: i64) -> String {
    let label = match act(n).await % 3 {
        0 => "zero",
        1 => "one",
        _ => "two",
    };
    tick().await;
    let unit: &'static str = if label.len() > 3 { "long" } else { label };
    concat(unit, label).await
}
