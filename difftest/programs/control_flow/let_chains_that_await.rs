//! Let chains with awaits among their conditions.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cfg {
    limit: Option<i64>,
    name: Option<String>,
    inner: Option<Box<Cfg>>,
}
fn cfg(n: i64, depth: i64) -> Cfg {
    Cfg {
        limit: (n % 2 == 0).then_some(n),
        name: (n > 1).then(|| format!("c{n}")),
        inner: (depth > 0).then(|| Box::new(cfg(n + 1, depth - 1))),
    }
}
#[workflow]
async fn program(n: i64) -> String {
    let mut c = cfg(n, 3);
    let mut out = String::new();
    loop {
        if let Some(limit) = c.limit
            && flag(limit).await
            && let Some(name) = &c.name
            && let reply = concat(name, &limit.to_string()).await
            && !reply.is_empty()
        {
            out += &reply;
            out.push_str(&fetch(name).await);
        } else if let Some(name) = c.name.take()
            && act(n).await > 10
        {
            out = name + &out;
        }
        let Some(next) = c.inner else { break };
        c = *next;
    }
    while let Some(x) = find(out.len() as i64).await
        && let Some(last) = x.chars().last()
        && last != '5'
        && out.len() < 60
    {
        out.push(last);
        out.push(letter(last as i64).await);
    }
    out
}
