//! Values that live across awaits are dropped once, in the same order.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let a = Noisy::new("a");
    let b = Noisy::new("b");
    act(n).await;
    note(a.name());
    {
        let c = Noisy::new("c");
        act(2).await;
        note(c.name());
    }
    if n > 1 {
        drop(b);
        act(3).await;
    } else {
        act(4).await;
        note(b.name());
        drop(b);
    }
    note(a.name());
    5
}
