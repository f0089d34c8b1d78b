//! A part of a value is moved out, and filled again by a value whose type only that shows.

#[workflow]
async fn by_collect(n: i64) -> usize {
    let mut job = (words("a b").await, n, fetch("s").await);
    let tags = job.0;
    tick().await;
    job.0 = tags.into_iter().rev().collect();
    tick().await;
    job.0.len() + job.2.len()
}

#[workflow]
async fn two_parts(n: i64) -> usize {
    let mut job = (words("a b").await, n, fetch("s").await);
    let tags = job.0;
    let k = job.2;
    tick().await;
    job.2 = "x".into();
    job.0 = tags.into_iter().rev().collect();
    tick().await;
    job.0.len() + job.2.len() + k.len()
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Job {
    id: i64,
    tags: Vec<String>,
    parent: Option<Box<Job>>,
}
#[workflow]
async fn in_a_loop(n: i64) -> usize {
    let mut job = Job { id: n, tags: words("a b").await, parent: None };
    let mut rounds = 0;
    loop {
        rounds += 1;
        let Job { tags, .. } = job;
        tick().await;
        job.tags = tags.into_iter().rev().collect();
        let k = job.tags.len();
        if rounds > 2 {
            break k;
        }
        let parent = job.parent;
        tick().await;
        job.parent = parent.map(Into::into);
        if flag(job.id).await {
            job.parent = Default::default();
        }
        if job.parent.is_some() {
            break 3;
        }
    }
}

#[workflow]
async fn in_a_branch(n: i64) -> String {
    let mut job = (words("a b").await, n);
    let (sent, _) = join!(
        async move {
            let tags = job.0;
            let mut out = vec![];
            for tag in &tags {
                out.push(fetch(tag).await);
            }
            job.0 = tags.into_iter().rev().collect();
            out.len() + job.0.len()
        },
        tick()
    );
    job.0 = words("x y").await.into_iter().collect();
    format!("{sent} {job:?}")
}

#[workflow]
async fn program(n: i64) -> String {
    let first = by_collect(n).await;
    let second = two_parts(n).await;
    let third = in_a_loop(n).await;
    let fourth = in_a_branch(n).await;
    format!("{first} {second} {third} {fourth}")
}
