//! Branches that use, change and own texts that are literals on one way and borrowed on another.

fn pick(text: &str) -> &str {
    &text[1..]
}

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("text").await;
    let shared = if n > 1 { pick(&text) } else { "shared" };
    let own = if n > 2 { pick(&text) } else { "own" };
    let (one, two) = join!(
        async {
            let mut tag = "tag";
            for count in 0..n % 3 {
                if count > 0 {
                    tag = pick(shared);
                }
                note(act(count).await);
            }
            concat(tag, shared).await
        },
        async move {
            let first = concat(own, shared).await;
            tick().await;
            format!("{first}{own}")
        },
    );
    let late = select! {
        text = fetch(shared) => text.len() as i64,
        () = async { tick().await; note(shared.to_owned()); } => 0,
    };
    format!("{one} {two} {late} {shared}")
}
