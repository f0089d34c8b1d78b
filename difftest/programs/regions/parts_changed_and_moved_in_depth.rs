//! Parts that branches within branches read, change and move out, while others need the rest.

#[workflow]
async fn program(n: i64) -> String {
    let mut job = (n, 1, fetch("a").await, words("k l").await);
    let (a, b) = join!(
        async {
            let x = join!(
                async {
                    let k = job.1;
                    job.1 += act(k).await;
                    job.1
                },
                async {
                    job.0 += act(3).await;
                    job.0
                }
            );
            x.0 + x.1
        },
        tick()
    );
    note(format!("{job:?}"));
    let mut left = 3;
    while left > 0 {
        left -= 1;
        let r = select! {
            x = async {
                let k = job.0;
                job.0 += 1;
                let (p, q) = join!(async { let l = job.3; job.3 = vec![]; act(k).await + l.len() as i64 }, async { act(job.1).await });
                job.3 = vec![format!("{p}")];
                p + q
            } => { x }
            y = act(left) => { job.0 -= y; y }
        };
        job.3 = words("again").await;
        note(format!("{r} {job:?}"));
    }
    let t = async {
        let k = job.0;
        job.0 = k + act(k).await;
        let v = job.3;
        fetch("z").await;
        v.len()
    }
    .await;
    job.3 = vec![];
    format!("{a} {b:?} {job:?} {t}")
}
