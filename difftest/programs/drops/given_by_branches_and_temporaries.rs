//! What a branch gives, or a call makes of what is there for the statement alone, is its own.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let of_temporary = match shape(n).await {
        Shape::Rect(..) | Shape::Point => Noisy::new("at once"),
        _ => Noisy::new(&fetch("a").await),
    };
    let of_branch = if n > 2 {
        async { Noisy::new(&fetch("b").await) }.await
    } else {
        Noisy::new("other")
    };
    let (of_tuple, number) = (async { Noisy::new(fetch("c").await) }.await, 5);
    let returned = async {
        if act(n).await > 3 {
            return Some(Noisy::new("early"));
        }
        None
    }
    .await;
    if n > 3 {
        act(n).await;
    }
    note(number);
    let joined = if n > 1 {
        join!(async { Noisy::new(&fetch("d").await) }, act(2))
    } else {
        (Noisy::new("alone"), 2)
    };
    if n > 4 {
        act(n).await;
    }
    note("end");
    Some(n)
}
