//! What is done if no branch is left.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut log = Vec::new();
    let kept = Noisy::new("kept");
    let mut rest = Some(Noisy::new("rest"));
    for round in 0..4 {
        let text = select! {
            Some(text) = find(note(n + round)), if round != 1 => text,
            Some(text) = async {
                tick().await;
                find(round).await
            }, if note(round) > 1 => text,
            else => {
                let taken = rest.take();
                tick().await;
                format!("else {round} {}", taken.is_some())
            }
        };
        log.push(text);
        let number = select! {
            Some(text) = find(round), if n > 2 => text.len() as i64,
            else => {
                if round == 3 {
                    continue;
                }
                act(round).await
            }
        };
        note(number);
    }
    log.push(kept.name().to_owned());
    log
}
