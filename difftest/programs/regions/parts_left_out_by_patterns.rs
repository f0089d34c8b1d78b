//! Patterns in a branch that leave out parts, which others use.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Job {
    id: i64,
    name: String,
    lines: Vec<i64>,
    extra: (String, Option<String>),
}
#[workflow]
async fn program(n: i64) -> String {
    let pair = (fetch("a").await, fetch("b").await);
    let (x, b) = join!(
        async {
            let (a, _) = pair;
            act(n).await;
            a
        },
        async { act(n).await }
    );
    let job =
        Job { id: n, name: fetch("n").await, lines: vec![n, 2], extra: (fetch("x").await, None) };
    let (k, l) = join!(
        async {
            let Job { name, extra: (_, more), .. } = job;
            tick().await;
            name + &more.unwrap_or_default()
        },
        async {
            let lines = job.lines;
            let k = act(lines[0]).await;
            k + lines[1]
        },
    );
    format!("{x}{b}{}{k}{l}{}", pair.1, job.extra.0)
}
