//! Updates of structs among operands, of what functions and blocks give as well.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Job {
    name: String,
    tags: Vec<String>,
    n: i64,
}

fn shown(a: i64, job: Job, b: i64) -> String {
    format!("{a}{job:?}{b}")
}

fn make(n: i64) -> Job {
    Job { name: "made".into(), tags: vec![], n }
}

#[workflow]
async fn program(n: i64) -> String {
    let job = Job { name: "job".into(), tags: words("a b").await, n };
    let first = shown(job.n, Job { name: fetch("x").await, ..job }, act(job.n).await);
    let name = concat(&job.name, &first).await;
    let second = shown(1, Job { n: act(2).await, ..make(note(3)) }, note(4));
    let inner = Job {
        name: {
            note("inner");
            fetch("l").await
        },
        ..make(act(5).await)
    };
    let nested = Job { tags: vec![fetch("k").await], ..inner };
    let matched = match (Job { n: 1, ..nested.clone() }, act(1).await) {
        (Job { name, .. }, k) if k > 2 => name,
        (job, _) => {
            tick().await;
            job.name
        }
    };
    format!("{name}{second}{nested:?}{matched}")
}
