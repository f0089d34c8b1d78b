//! Variables that only `async` blocks assign are not unused.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut a = 0;
    let mut b = 0;
    let mut seen = vec![];
    let mut c = 0;
    join!(
        async {
            a = act(n).await;
        },
        async {
            b += act(1).await;
            seen.push(b);
        },
        async {
            let x = act(2).await;
            c = x;
        },
    );
    let mut d = n;
    select! {
        _ = async { d = act(2).await; } => {}
        _ = tick() => {}
    }
    b
}
