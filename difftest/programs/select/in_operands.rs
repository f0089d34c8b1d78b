//! A `select!` in an operand: what it only looks at stays where it is for the operands before it.

#[workflow]
async fn program(n: i64) -> (usize, i64, String) {
    let text = String::from("abecedx");
    let part = text
        .split('e')
        .nth({
            select! {
                (first, _) = pair(n) => note(first as usize) % 2,
                longer = concat("x", &text) => longer.len() % 3,
            }
        })
        .unwrap_or("none");
    let size = note(part).len();
    let mut counts = vec![n, 2];
    let mut left = vec![String::from("a"), String::from("b")];
    let total = counts[0]
        + select! {
            got = act(n) => { counts[0] += got; got }
            // What its handler moves is read before.
            _ = concat("y", &left[0]) => { let moved = left; moved.len() as i64 }
        }
        + counts[0];
    left = vec![note(text)];
    (size, total, left.concat())
}
