//! Returns from deep inside loops and blocks.

#[workflow]
async fn program(n: i64) -> String {
    let kept = fetch("kept").await;
    for i in 0..4 {
        let inner = {
            if act(i + n).await % 5 == 0 {
                return format!("{kept} {i}");
            }
            note(i * 2)
        };
        match inner {
            6 => return fetch(&kept).await,
            _ => tick().await,
        }
    }
    kept
}
