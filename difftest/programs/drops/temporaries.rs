//! Temporaries are dropped at the end of their statement, after the await in it.

fn make(name: &str) -> Noisy {
    Noisy::new(name)
}

#[workflow]
async fn program(n: i64) -> i64 {
    let length = make("argument").name().len() as i64;
    let x = act(length + n).await;
    let y = act(make("operand").name().len() as i64).await + make("other").name().len() as i64;
    match make("scrutinee").name().len() {
        9 => { note("nine"); }
        _ => { note("other"); }
    }
    if make("condition").name().is_empty() { tick().await } else { tick().await }
    x + y
}
