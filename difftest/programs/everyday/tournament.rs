//! Groups in which everybody plays everybody, then rounds in which the strong meet the weak.

use std::cmp::Ordering;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Team {
    name: String,
    seed: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Row {
    points: u32,
    scored: i64,
    against: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Score(i64, i64);

#[workflow]
async fn play(home: Team, away: Team, round: i64) -> Result<Score, String> {
    let home = try_act(home.seed + round).await.map_err(|error| format!("{}: {error}", home.name))?;
    Ok(Score(home % 4, act(away.seed + round).await % 4))
}

#[workflow]
async fn group(teams: Vec<Team>) -> Result<Vec<Team>, String> {
    let mut table: BTreeMap<String, Row> =
        teams.iter().map(|team| (team.name.clone(), Row::default())).collect();
    for (i, home) in teams.iter().enumerate() {
        for away in &teams[i + 1..] {
            let Score(a, b) = play(home.clone(), away.clone(), 0).await.unwrap_or(Score(0, 3));
            for (name, scored, against) in [(&home.name, a, b), (&away.name, b, a)] {
                let row = table.entry(name.clone()).or_default();
                row.scored += scored;
                row.against += against;
                row.points += match scored.cmp(&against) {
                    Ordering::Greater => 3,
                    Ordering::Equal => 1,
                    Ordering::Less => 0,
                };
            }
            note(&table);
        }
    }
    let mut rows: Vec<_> = table.iter().collect();
    rows.sort_by_key(|(name, row)| (std::cmp::Reverse(row.points), row.against - row.scored, *name));
    let best: Vec<&str> = rows.iter().take(2).map(|(name, _)| name.as_str()).collect();
    Ok(teams.iter().filter(|team| best.contains(&team.name.as_str())).cloned().collect())
}

#[workflow]
async fn program(n: i64) -> Result<(Team, Vec<String>), String> {
    let mut log = Vec::new();
    let mut round: Vec<Team> = Vec::new();
    for (number, names) in ["ann bob cid", "dee", "eve fay gus"].into_iter().enumerate() {
        let mut teams = Vec::new();
        for name in words(names).await {
            teams.push(Team { seed: act(n + name.len() as i64).await, name });
        }
        if let [only] = teams.as_slice() {
            round.push(only.clone());
            continue;
        }
        round.extend(group(teams).await.map_err(|error| format!("group {number}: {error}"))?);
    }
    while round.len() > 1 {
        round.sort_by_key(|team| team.seed);
        let (strong, weak) = round.split_at(round.len().div_ceil(2));
        let mut next = Vec::new();
        'pairs: for (home, away) in strong.iter().zip(weak.iter().rev()) {
            for attempt in 1..=3 {
                match play(home.clone(), away.clone(), attempt).await {
                    Ok(Score(a, b)) if a != b => {
                        let winner = if a > b { home } else { away };
                        log.push(format!("{} {a}:{b} {}", home.name, away.name));
                        next.push(winner.clone());
                        continue 'pairs;
                    }
                    Ok(_) if attempt < 3 => {}
                    Ok(_) => {
                        let home_wins = flag(attempt).await;
                        next.push(if home_wins { home.clone() } else { away.clone() });
                    }
                    Err(error) => log.push(format!("attempt {attempt}: {error}")),
                }
            }
        }
        if strong.len() > weak.len() {
            next.extend(strong.first().cloned());
        }
        round = next;
    }
    let champion = round.pop().ok_or("no teams")?;
    Ok((champion, log))
}
