//! Awaits as parts of a tuple, with effects before and after.

#[workflow]
async fn program(n: i64) -> (i64, String, (i64, bool)) {
    (note(n), fetch(&format!("k{n}")).await, (act(note(n)).await, flag(note(n)).await))
}
