//! Patterns that take parts of one value around awaits, some in branches and blocks in which nothing is awaited.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Job {
    id: i64,
    name: String,
    lines: Vec<i64>,
    extra: (String, Option<String>),
}
#[workflow]
async fn load_it(n: i64) -> Job {
    Job { id: n, name: fetch("n").await, lines: vec![n, 2], extra: (fetch("x").await, None) }
}
#[workflow]
async fn program(n: i64) -> String {
    let mut out = String::new();
    for round in 0..2 {
        let job = load_it(n + round).await;
        let Job { lines, extra: (ref x, _), .. } = job;
        out += x;
        for line in lines {
            out += &act(line).await.to_string();
        }
        if n > 2 {
            let Job { extra: (x, _), .. } = job;
            out += &x;
            continue;
        }
        let (a, b) = {
            let Job { name, .. } = job;
            (name, job.extra)
        };
        tick().await;
        out += &a;
        out += &b.0;
    }
    let mut job = load_it(n).await;
    loop {
        let Job { lines, .. } = job;
        let k = act(lines.len() as i64).await;
        job.lines = vec![k];

        let text = match k % 3 {
            0 => {
                let Job { name, .. } = &job;
                name.clone()
            }
            1 => {
                let Job { extra: (a, _), .. } = job;
                let Job { name, .. } = job;
                break out + &a + &name;
            }
            _ => {
                let Job { ref extra, .. } = job;
                extra.0.clone()
            }
        };
        out += &text;
        if out.len() > 80 {
            break out;
        }
    }
}
