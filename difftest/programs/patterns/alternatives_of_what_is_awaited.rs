//! A `let` whose alternatives bind the same names of what is awaited.

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Found {
    Exact { at: i64, name: String },
    Near(i64, String),
}

#[workflow]
async fn search(n: i64) -> Found {
    match find(n).await {
        Some(name) => Found::Exact { at: n, name },
        None => Found::Near(n + 1, fetch("near").await),
    }
}

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let (Ok(tries) | Err(tries)) = try_act(n).await.map_err(|error| error.to_string().len() as i64);
    let (Found::Exact { at, mut name } | Found::Near(at, mut name)) = search(act(tries).await).await;
    name.push_str(&fetch(&name).await);
    let (Ok(sum) | Err(sum)): std::result::Result<i64, i64> = {
        let error = Noisy::new("error");
        try_act(at).await.map_err(|_| error.name().len() as i64)
    };
    (sum + act(sum).await, name)
}
