//! Values moved into functions and calls around awaits.

fn join(parts: Vec<String>, end: String) -> String {
    parts.join("/") + &end
}

#[workflow]
async fn program(n: i64) -> i64 {
    let shape = shape(n).await;
    let copy = shape.clone();
    let size = area(shape).await;
    let parts = words("a b c").await;
    let joined = join(parts, fetch("end").await);
    area(copy).await + size + joined.len() as i64
}
