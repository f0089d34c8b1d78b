//! A branch moves a part out of a value, whose rest others and it itself go on using; what has been moved
//! out may be filled again, in the branch and after it.

#[derive(Debug, Serialize, Deserialize)]
struct Job {
    id: i64,
    first: Noisy,
    rest: (Noisy, Vec<String>),
    name: String,
}

#[workflow]
async fn in_rounds(n: i64) -> String {
    let mut job = Job {
        id: n,
        first: Noisy::new("first"),
        rest: (Noisy::new("rest"), words("a b").await),
        name: fetch("n").await,
    };
    let mut out = String::new();
    for round in 0..3 {
        let (a, b, c) = join!(
            async {
                let first = job.first;
                let k = act(round).await;
                if flag(k).await {
                    drop(first);
                    return k;
                }
                let inner = select! {
                    x = async { let list = job.rest.1; fetch(&list.concat()).await.len() as i64 } => x,
                    y = async { tick().await; job.id + k } => y,
                };
                note(format!("{} {inner}", job.name));
                drop(first);
                inner
            },
            async { concat(&job.name, "z").await },
            async { act(job.id).await }
        );
        out = format!("{out}{a}{b}{c}{}", job.name);
        job.first = Noisy::new("again");
        job.rest.1 = words("k l m").await;
        note(job.rest.1.len());
        job.id += a;
    }
    tick().await;
    note(&job.name);
    out
}

#[workflow]
async fn awaited_and_failing(cx: &Context, n: i64) -> String {
    let o = order(n).await;
    let mut pair = (words("x y").await, fetch("s").await, 3);
    let text = async {
        let mut t = String::new();
        for w in pair.0 {
            t += &concat(&w, &pair.1).await;
            pair.2 += 1;
        }
        t
    }
    .await;
    note(format!("{} {}", pair.1, pair.2));
    let r = select! {
        k = async {
            let c = o.customer;
            if matches!(c.len(), k if k > 3 && o.id > 0) { fetch(&c).await; }
            let Some(first) = o.lines.first() else { return c };
            let s = format!("{c:?} {}", first.sku);
            tick().await;
            concat(&s, &c).await
        } => k,
        Bump(k) = cx.signal() => k.to_string(),
        _ = cx.sleep(seconds(o.lines.len() as u64 + 1)) => "late".into(),
    };
    let lines = o.lines.len();
    tick().await;
    pair.0 = vec![r];
    let again: Result<i64> = async {
        let (a, b) = try_join!(
            async {
                let w = pair.0;
                let k = try_act(w.len() as i64).await?;
                Ok::<_, Error>(k)
            },
            async {
                let s = &pair.1;
                let k = try_act(s.len() as i64).await?;
                Ok::<_, Error>(k)
            }
        )?;
        pair.0 = vec![];
        Ok(a + b)
    }
    .await;
    let again = again.unwrap_or(-1);
    tick().await;
    format!("{text} {lines} {again} {} {}", pair.1, pair.2)
}

#[derive(Debug, Serialize, Deserialize)]
struct Cfg {
    limit: i64,
    names: Vec<String>,
    hook: Option<Box<Cfg>>,
}
#[workflow]
async fn a_name_that_is_taken(n: i64) -> Vec<String> {
    let cfg = Cfg {
        limit: 3,
        names: words("p q r").await,
        hook: Some(Box::new(Cfg { limit: 1, names: vec![], hook: None })),
    };
    let mut seen = vec![];
    let cfg_names = fetch("c").await;
    let (a, b) = join!(
        async {
            let hook = cfg.hook;
            let mut left = cfg.limit;
            while left > 0 {
                left -= 1;
                seen.push(fetch(&cfg.names[left as usize]).await);
            }
            hook.map(|h| h.limit)
        },
        async {
            for name in &cfg.names {
                if flag(name.len() as i64 + n).await {
                    return name.clone();
                }
            }
            cfg_names.clone()
        }
    );
    tick().await;
    seen.push(format!("{a:?} {b} {} {:?}", cfg.limit, cfg.names));
    let names = cfg.names;
    let left = join!(
        async {
            let mut t = names;
            t.push("k".into());
            act(t.len() as i64).await;
            t
        },
        tick()
    )
    .0;
    seen.extend(left);
    seen
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Task {
    id: i64,
    name: String,
    tags: Vec<String>,
    parent: Option<Box<Task>>,
}

#[workflow]
async fn filled_after(n: i64) -> Vec<String> {
    let mut job =
        Task { id: n, name: fetch("job").await, tags: words("a b c").await, parent: None };
    let mut log: Vec<String> = Vec::new();
    let mut rounds = 0;
    while rounds < 3 {
        rounds += 1;
        let (sent, _) = join!(
            async {
                let tags = job.tags;
                let mut out = vec![];
                for tag in &tags {
                    out.push(concat(tag, "x").await);
                    log.push(tag.clone());
                    if out.len() > 2 {
                        return 5;
                    }
                }
                let n = out.len();
                job.tags = out;
                tick().await;
                n + job.tags.len()
            },
            async {
                let id = job.id;
                job.id = 4;
                act(id + job.id).await
            }
        );
        job.id = act(sent as i64).await;
        if flag(job.id).await {
            job.tags = vec![];
        } else {
            job.tags = words("k l").await;
        }
        log.push(format!("{job:?}"));
        let left = select! {
            x = async { let name = job.name; let t = fetch(&name).await; job.name = t + "k"; act(job.name.len() as i64).await } => { job.name = "one".into(); x }
            y = act(2) => { job.name = fetch("two").await; y }
        };
        note(left);
    }
    let parent = Task { parent: Some(Box::new(job.clone())), ..job };
    log.push(format!("{parent:?}"));
    log
}

#[workflow]
async fn program(n: i64) -> (String, String, Vec<String>, Vec<String>) {
    let first = in_rounds(n).await;
    let second = awaited_and_failing(n).await;
    let third = a_name_that_is_taken(n).await;
    (first, second, third, filled_after(n).await)
}
