//! `return` in every place.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    if n == 0 {
        return -1;
    }
    for i in 0..10 {
        let x = act(i).await;
        if x > n * 10 {
            return x;
        }
        match i {
            5 => return act(100).await,
            4 if n == 5 => {
                note("four");
                return 4;
            }
            _ => {}
        }
    }
    let closure = |x: i64| {
        if x > 1 {
            return 1;
        }
        x
    };
    closure(n)
}
