//! A `macro_rules!` of the file, used without awaits in its input.

macro_rules! square {
    ($x:expr) => {{
        let x = $x;
        x * x
    }};
}

#[workflow]
async fn program(n: i64) -> i64 {
    let x = act(n).await;
    let y = square!(x + 1) % 1000;
    act(square!(note(3)) + y).await + x
}
