//! The value of a block outlives its locals.

#[workflow]
async fn program(n: i64) -> i64 {
    let value = {
        let _inner = Noisy::new("inner");
        tick().await;
        Noisy::new("value")
    };
    let size = match flag(n).await {
        true => {
            let taken = value;
            tick().await;
            taken.name().len()
        }
        false => 0,
    };
    note(size);
    act(n).await
}
