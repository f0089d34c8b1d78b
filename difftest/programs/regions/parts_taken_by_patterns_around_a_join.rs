//! Patterns take parts of a local before, beside and behind branches.

#[derive(Serialize, Deserialize)]
struct Job { id: i64, name: Noisy, lines: Vec<i64>, rest: (Noisy, Noisy) }
#[workflow]
async fn program(n: i64) -> String {
    let job = Job { id: n, name: Noisy::new("name"), lines: list(n).await, rest: (Noisy::new("r0"), Noisy::new("r1")) };
    let Job { id, lines, .. } = job;
    let (a, b) = join!(async { total(&lines).await + id }, async { act(job.rest.0.name().len() as i64).await });
    let Job { rest: (first, _), .. } = job;
    let text = match act(a + b).await {
        x if x > 3 => { drop(first); fetch("big").await }
        _ => { let Job { name, .. } = job; tick().await; name.name().to_owned() }
    };
    text
}
