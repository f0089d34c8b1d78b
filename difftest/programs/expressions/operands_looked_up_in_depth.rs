//! Look-ups as operands before an await, in loops, by branches, out of what is looked up itself.

#[derive(Clone, Debug, Serialize, Deserialize, Default)]
struct Job {
    id: i64,
    tags: Vec<String>,
    by: BTreeMap<String, i64>,
    next: Option<Box<Job>>,
}
fn use_tags(a: &[String], b: Option<&String>, c: i64) -> String {
    format!("{a:?}{b:?}{c}")
}
fn opt(a: Option<&str>, b: i64) -> String {
    format!("{a:?}{b}")
}
fn slice(a: &[i64], b: i64) -> i64 {
    a.iter().sum::<i64>() + b
}

#[workflow]
async fn one(n: i64) -> Vec<String> {
    let mut jobs = vec![
        Job { id: n, tags: vec!["a".into(), fetch("t").await], ..Job::default() },
        Job::default(),
    ];
    let mut out = vec![];
    for i in 0..2 {
        let j = &jobs[i];
        out.push(use_tags(&j.tags, j.tags.first(), act(j.id).await));
        out.push(opt(j.next.as_ref().map(|x| x.tags[0].as_str()), act(1).await));
        out.push(opt(j.tags.iter().map(|x| x.as_str()).nth(1), act(2).await));
    }
    jobs[1].next = Some(Box::new(jobs[0].clone()));
    let second = &jobs[1];
    out.push(opt(
        second.next.as_deref().and_then(|x| x.tags.first()).map(|x| x.as_str()),
        act(3).await,
    ));
    let l0 = list(n).await;
    let k = slice(if n > 2 { &l0 } else { &[] }, act(4).await);
    let l = list(n).await;
    let k2 = slice(if n > 1 { &l } else { &[] }, act(5).await);
    let k3 = slice(
        match n {
            0 => &l[..1],
            1 => &[7],
            _ => &l,
        },
        act(5).await,
    );
    out.push(format!("{k}{k2}{k3}"));
    let job = &mut jobs[0];
    job.by.insert("x".into(), act(1).await);
    *job.by.entry("x".into()).or_default() += job.tags.len() as i64 + act(2).await;
    out.push(format!("{:?} {:?} {}", job.by.get("x"), job.tags.last(), act(6).await));
    let c = job.by.get("x").copied().unwrap_or_default() + act(1).await;
    let d = job.by.get("y").is_none() && flag(2).await;
    out.push(opt(
        job.tags.iter().find(|t| t.len() > 1).map(|t| &t[..1]),
        c + d as i64 + act(9).await,
    ));
    out
}

#[workflow]
async fn two(n: i64) -> i64 {
    let mut q = std::collections::VecDeque::from(vec![1, n, 3]);
    let mut total = 0;
    while let Some(x) = q.pop_front() {
        total += add(q.front().copied().unwrap_or(0), act(x).await).await;
        total = total.max(*q.back().unwrap_or(&0) + act(1).await);
        if q.len() == 1 {
            q.push_back(9 + total % 2);
            if total > 100 {
                break;
            }
        }
        if total > 60 {
            break;
        }
    }
    let r = (q.iter().min(), act(total).await);
    r.1 + r.0.copied().unwrap_or(0)
}

#[workflow]
async fn three(n: i64) -> Result<String> {
    let text = fetch("k=v;w=x").await;
    let a = opt(text.split_once('=').map(|(key, _)| key), act(1).await);
    let b = opt(text.strip_prefix("k"), act(2).await);
    let c = opt(text.get(1..3), act(3).await);
    let d = opt(text.lines().next(), try_find(n).await?.unwrap_or(1));
    let e = opt(text.get(..), act(1).await) + text.as_str() + &fetch("z").await;
    Ok(a + &b + &c + &d + &e)
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(one(n).await);
    note(two(n).await);
    note(three(n).await.is_ok());
    n
}
