//! `break` and `continue` of an outer loop from an inner one.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut seen = Vec::new();
    'rows: for row in 0..3 {
        for column in 0..4 {
            let value = act(row * 4 + column + n).await;
            match value % 5 {
                0 => continue 'rows,
                1 => break 'rows,
                2 => continue,
                _ => seen.push(note(value)),
            }
        }
        tick().await;
    }
    seen
}
