//! What a branch needs last it takes over after the operands of the branches behind it have looked at it.

#[workflow]
async fn program(n: i64) -> String {
    let name = fetch(&n.to_string()).await;
    let mut list = words(&name).await;
    let (first, second) = join!(
        async {
            tick().await;
            list.push(name.clone());
            list.len()
        },
        concat(&name, "!"),
    );
    let word = format!("{first}{second}");
    select! {
        text = async {
            let text = concat("a", &word).await;
            text + &word
        } => text,
        other = fetch(&word.clone()) => other,
    }
}
