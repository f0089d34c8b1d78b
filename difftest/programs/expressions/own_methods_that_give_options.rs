//! Methods of the program's own by names of such that lend give values in an `Option`, before an operand that is
//! awaited.

#[derive(Clone, Serialize, Deserialize)]
struct Config {
    limits: Vec<i64>,
    asked: i64,
}

impl Config {
    fn get(&self, at: i64) -> Option<i64> {
        note(at);
        self.limits.get(at as usize).copied()
    }

    fn first(&mut self) -> Option<String> {
        self.asked += 1;
        note("first".to_owned());
        Some(format!("{}", self.asked))
    }

    fn last(&self) -> Option<&i64> {
        self.limits.last()
    }
}

fn show(limit: Option<i64>, first: Option<String>, n: i64) -> String {
    format!("{limit:?} {first:?} {n}")
}

fn lent(found: Option<&i64>) -> i64 {
    found.copied().unwrap_or(3)
}

fn spend(limit: Option<i64>, n: i64, config: Config) -> i64 {
    limit.unwrap_or(3) + n + config.asked
}

#[workflow]
async fn program(n: i64) -> (String, i64) {
    let mut config = Config { limits: list(n).await, asked: 0 };
    let mut shown = show(config.get(1), config.first(), act(n).await);
    shown += &show(config.get(0), Some(fetch("x").await), {
        config.limits.push(1);
        act(n).await
    });
    let mut sum = lent(config.last());
    sum += spend(config.get(1), act(n).await, config);
    (shown, sum)
}
