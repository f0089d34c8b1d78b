//! Branches that do not take every value.

#[workflow]
async fn found_late(n: i64) -> Option<String> {
    tick().await;
    find(n + 1).await
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<String> {
    let mut log = Vec::new();
    let noisy = Noisy::new("outside");
    for round in 0..3 {
        let text = select! {
            biased;
            Some(text) = find(n + round) => text,
            Some(ref text) = found_late(n + round), if round > 0 => format!("late {text}"),
            Some(mut text) = async {
                note(noisy.name());
                tick().await;
                find(round).await
            } => {
                text.push('!');
                text
            },
            _ = cx.sleep(seconds(60)) => {
                if n > 3 {
                    break;
                }
                "nothing".to_owned()
            }
        };
        log.push(note(text));
    }
    log.push(noisy.name().to_owned());
    log
}
