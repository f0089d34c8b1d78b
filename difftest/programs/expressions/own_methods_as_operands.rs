//! Methods of the program's own give values, before an operand that is awaited, by names that those of the
//! standard library have which lend.

#[derive(Clone, Serialize, Deserialize)]
struct Config {
    limits: Vec<i64>,
}

impl Config {
    fn get(&self, n: i64) -> i64 {
        note(n);
        self.limits[0] + n
    }

    fn first(&self) -> String {
        note("first".to_owned());
        "first".to_owned()
    }
}

#[workflow]
async fn program(n: i64) -> (i64, String, i64) {
    let config = Config { limits: vec![n, 2] };
    let sum = add(config.get(1), act(n).await).await;
    let text = concat(&config.first(), &fetch("x").await).await;
    let limits = vec![n, 5];
    let max = limits.first().copied().unwrap_or(0).max(act(n).await);
    let own = config.get(3) + act(n).await + limits[1] * act(2).await;
    let last = add(if n > 1 { config.get(6) } else { config.get(7) }, act(n).await).await;
    let chosen: i64 = match act(n).await {
        0 => config.get(4),
        _ => config.get(5),
    };
    let branch = if n > 2 {
        config.first()
    } else {
        tick().await;
        config.first()
    };
    (sum + own + last + chosen, text + &branch, max)
}
