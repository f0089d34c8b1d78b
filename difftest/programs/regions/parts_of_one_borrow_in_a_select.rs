//! Branches of a `select!` change parts of what a pattern has borrowed, and one is given up.

#[workflow]
async fn program(n: i64) -> (i64, (i64, i64)) {
    let mut cart = (n, (n, 3));
    let (a, b, c) = (&mut cart.0, &mut cart.1.0, &mut cart.1.1);
    for i in 0..3 {
        *a += act(i).await;
        *b += *c;
        *c += act(*a).await;
    }
    select! { x = async { *a += act(1).await; *b } => { *c += x; } y = async { *c += act(2).await; 3 } => { note(y); } };
    cart
}
