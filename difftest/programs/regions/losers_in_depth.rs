//! A branch that loses while it waits for branches of its own.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let kept = Noisy::new("kept");
    let text = select! {
        sum = async {
            let guard = String::from("guard");
            let (a, b) = join!(
                async {
                    let inner = String::from("inner");
                    let a = act(n).await;
                    inner_work(a, inner).await
                },
                async {
                    select! {
                        x = act(1) => x,
                        _ = cx.sleep(seconds(3)) => act(2).await,
                        y = async { flag(3).await; act(4).await } => y,
                    }
                },
            );
            a + b + guard.len() as i64
        } => sum.to_string(),
        text = async { fetch("a").await + &fetch("b").await } => text,
    };
    tick().await;
    format!("{text}{}", kept.name())
}

#[workflow]
async fn inner_work(n: i64, name: String) -> i64 {
    let a = act(n).await;
    act(a).await + name.len() as i64
}
