//! A moved value is dropped by its new owner.

fn consume(value: Noisy) -> usize {
    note("consuming");
    value.name().len()
}

#[workflow]
async fn program(n: i64) -> usize {
    let a = Noisy::new("a");
    let b = Noisy::new("b");
    tick().await;
    let size = consume(a);
    let c = b;
    tick().await;
    let boxed = Box::new(c);
    act(n).await;
    drop(boxed);
    note("dropped");
    tick().await;
    size
}
