//! Blocks in a loop, with returns of their own and arms that break out of it.

#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<i64>, String) {
    let mut seen = Vec::new();
    let mut tries = n;
    let text = loop {
        tries += 1;
        select! {
            x = async {
                let x = act(tries).await;
                for i in 0..2 {
                    if flag(i).await {
                        return x;
                    }
                }
                x + 1
            } => {
                seen.push(x)
            }
            text = async { concat("late", &fetch("y").await).await } => {
                break text
            }
            _ = cx.sleep(seconds(30)) => {
                continue
            }
        }
        if tries > 4 {
            break String::from("enough");
        }
    };
    (seen, text)
}
