//! Branches with conditions: operations, inline calls and `async` blocks that are begun or not.

#[workflow]
async fn slowly(name: String, n: i64) -> i64 {
    note(&name);
    tick().await;
    act(n).await
}

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let mut log = Vec::new();
    let mut rounds = 0;
    let noisy = Noisy::new("outside");
    let mut given = Some("given".to_owned());
    while rounds < 4 {
        rounds += 1;
        let is_even = note(rounds % 2 == 0);
        select! {
            x = act(note(rounds)), if is_even && n > 1 => log.push(format!("act {x}")),
            text = async {
                note(noisy.name());
                let text = fetch("block").await;
                tick().await;
                concat(&text, noisy.name()).await
            }, if note(rounds) < 3 => {
                log.push(text);
                if n == 2 {
                    break;
                }
            }
            x = slowly(format!("call {rounds}"), n), if !is_even || n == 5 => log.push(format!("call {x}")),
            taken = async {
                let taken = given.take();
                tick().await;
                taken
            }, if rounds == 4 || n == 0 => log.push(format!("taken {taken:?}")),
        }
        if rounds == 3 && n == 12 {
            select! {
                _ = cx.sleep(seconds(9)), if false => log.push("never".to_owned()),
                x = async { act(1).await + act(2).await } => log.push(format!("only {x}")),
            }
        }
    }
    note((given.is_some(), noisy.name()));
    log.join(", ")
}
