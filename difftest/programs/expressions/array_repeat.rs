//! An await as the element of an array repetition.

#[workflow]
async fn program(n: i64) -> i64 {
    let zeros = [act(n).await; 4];
    let filled = vec![fetch("f").await; 2];
    total(&zeros).await + note(filled.concat()).len() as i64
}
