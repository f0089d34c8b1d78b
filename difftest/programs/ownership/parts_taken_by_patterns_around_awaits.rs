//! Patterns take parts of a local one after the other, with awaits in between.

#[derive(Serialize, Deserialize)]
struct Job { name: Noisy, lines: Vec<i64>, extra: Noisy, owner: (Noisy, i64) }
#[workflow]
async fn program(n: i64) -> String {
    let job = Job { name: Noisy::new("name"), lines: list(n).await, extra: Noisy::new("extra"), owner: (Noisy::new("owner"), 2) };
    let Job { lines, owner: (owner, k), .. } = job;
    let sum = total(&lines).await;
    drop(owner);
    let Job { name, .. } = job;
    note(k);
    let size = name.name().len();
    tick().await;
    format!("{size}{sum}")
}
