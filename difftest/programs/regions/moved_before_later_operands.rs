//! What an `async move` branch takes over it takes before the branches behind it are evaluated.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut n = n;
    let mut name = fetch("a").await;
    let mut log = vec![];
    let pair = join!(
        async move { act(n).await + n },
        add(
            {
                n += 10;
                n
            },
            1
        ),
        async move {
            tick().await;
            n
        },
    );
    log.push(format!("{pair:?} {n}"));
    let (first, second) = join!(
        async move {
            let text = concat("1", &name).await;
            text + &name
        },
        fetch(&{
            name = format!("new {n}");
            name.len().to_string()
        }),
    );
    log.push(first + &second);
    log.push(name);
    let chosen = select! {
        text = async move { concat("of", &n.to_string()).await } => text,
        number = act({ n *= 2; n }) => format!("{number} {n}"),
    };
    log.push(chosen);
    log.push(n.to_string());
    log
}
