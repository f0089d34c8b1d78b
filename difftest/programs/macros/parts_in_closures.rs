//! Fields in macros within closures, after other fields may have been moved.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Team {
    name: String,
    seed: i64,
    tags: Vec<String>,
}

#[workflow]
async fn of_team(n: i64, team: Team) -> Result<(i64, Vec<String>), String> {
    let score = try_act(team.seed).await.map_err(|error| format!("{}: {error}", team.name))?;
    let tags = team.tags;
    let more = act(score).await;
    let longest = tags.iter().map(|tag| format!("{tag} {} {more}", team.name)).collect();
    tick().await;
    let describe = |prefix: &str| {
        assert!(team.seed >= n, "{}", team.name);
        if more > 3 { vec![prefix.to_owned(), format!("{:?}", team.name)] } else { longest }
    };
    Ok((score, describe("x")))
}

#[workflow]
async fn program(n: i64) -> Vec<Result<(i64, Vec<String>), String>> {
    let mut results = vec![];
    for seed in n..n + 3 {
        let team = Team { name: fetch("team").await, seed, tags: words("x y").await };
        results.push(of_team(n, team).await);
    }
    results
}
