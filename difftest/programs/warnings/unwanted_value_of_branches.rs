//! Of branches whose value is not wanted, rustc warns once and as a whole, and not of their calls.

#[workflow]
async fn program(n: i64) -> i64 {
    match n {
        0 => act(1).await,
        _ => n.abs(),
    };
    match n {
        0 => Err(act(1).await),
        _ => Ok(n),
    };
    if n > 2 { Ok(act(3).await) } else { Err("few".to_string()) };
    n
}
