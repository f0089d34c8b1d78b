//! A pattern that moves parts of a value out and borrows others.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Config {
    retry: Option<Vec<i64>>,
    region: Option<String>,
    owner: (String, Vec<String>),
    limits: Vec<i64>,
}

#[workflow]
async fn program(n: i64) -> (Vec<String>, Vec<i64>) {
    let mut config = Config {
        retry: Some(list(n).await),
        region: (n % 2 == 0).then(|| "eu".to_owned()),
        owner: (fetch("owner").await, words("a b").await),
        limits: vec![n],
    };
    let mut log = Vec::new();
    let Config { retry, ref region, owner: (name, ref mut tags), .. } = config;
    let place = region.as_deref().unwrap_or("us");
    log.push(concat(place, &name).await);
    tags.push(fetch(place).await);
    tags.push(format!("{region:?}"));
    config.limits.extend(retry.into_iter().flatten());
    config.limits.push(total(&config.limits).await);
    log.extend(config.owner.1);
    log.push(name);
    (log, config.limits)
}
