//! What is left of a value that is taken apart, by a pattern or for one of its fields, goes at the end of
//! the statement, also where the value was chosen by code that awaits.

fn two(a: &str, b: &str) -> (Noisy, Noisy) {
    (Noisy::new(a), Noisy::new(b))
}

#[workflow]
async fn program(n: i64) -> i64 {
    let (kept, _) = if n == 1 {
        tick().await;
        two("a", "rest of a")
    } else {
        two("b", "rest of b")
    };
    note("after the pattern");
    let field = (if n == 2 { two(&fetch("c").await, "rest of c") } else { two("d", "rest of d") }).0;
    note("after the field");
    let length = {
        let x = act(n).await;
        two(&x.to_string(), "not read")
    }
    .1
    .name()
    .len() as i64;
    note("after the method");
    for round in 0..n.min(2) {
        let (_, last) = match act(round).await {
            1 => two("one", "last one"),
            _ => two("many", "last of many"),
        };
        note("in the loop");
        drop(last);
    }
    note((kept.name(), field.name()));
    length
}
