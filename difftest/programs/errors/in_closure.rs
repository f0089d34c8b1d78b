//! `?` inside of a closure and a nested function belongs to those.

fn parse_all(texts: &[&str]) -> Result<Vec<i64>, std::num::ParseIntError> {
    texts.iter().map(|text| Ok(text.parse::<i64>()?)).collect()
}

#[workflow]
async fn program(n: i64) -> i64 {
    let second = |values: &[i64]| -> Option<i64> { Some(*values.get(1)? + 1) };
    let values = list(n).await;
    let found = second(&values).unwrap_or(-1);
    let parsed = parse_all(&["1", if found > 3 { "x" } else { "2" }]);
    act(parsed.map_or(0, |all| all.len() as i64)).await + found
}
