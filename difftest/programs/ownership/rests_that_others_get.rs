//! The rest of a value of which a part has been moved out before an await.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Job {
    name: String,
    lines: Vec<i64>,
    extra: Option<String>,
    own: Inner,
}
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Inner {
    a: String,
    b: Vec<i64>,
}

fn job(n: i64) -> Job {
    Job {
        name: format!("job {n}"),
        lines: vec![n, 2],
        extra: (n % 2 == 0).then(|| "extra".to_owned()),
        own: Inner { a: "a".into(), b: vec![n] },
    }
}

#[workflow]
async fn program(n: i64) -> (Job, Job, Job, Vec<i64>, Job) {
    let job_1 = job(n);
    let lines = job_1.lines;
    let count = act(lines.len() as i64).await;
    let job_1 = Job { lines: vec![count], ..job_1 };
    let j = job(n + 1);
    let lines = j.lines;
    let name = j.name;
    act(lines.len() as i64).await;
    let mut j = Job { lines, name: name + "!", ..j };
    if flag(n).await {
        j = Job { own: Inner { a: fetch("x").await, ..j.own }, extra: None, ..j };
    }
    let k = job(n + 2);
    let Inner { a, .. } = k.own;
    act(1).await;
    let k = Job { own: Inner { a: a + "?", ..k.own }, ..k };
    let m = job(n + 3);
    let mut all = vec![];
    let taken = m.lines;
    for line in taken {
        all.push(act(line).await);
    }
    let m = Job { lines: vec![], ..m };
    let o = job(n + 4);
    match n {
        0 | 2 => drop(o.lines),
        _ => {
            act(2).await;
            drop(o.name);
        }
    }
    let o = Job { lines: vec![], name: String::new(), ..o };
    note(o);
    (job_1, j, k, all, m)
}
