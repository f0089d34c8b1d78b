//! Loops over a part of a list that is found by what changes later, and over two lists in a row.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Trip {
    from: i64,
    stops: Vec<i64>,
    to: i64,
}

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let teams = words("ann bob cid dee").await;
    let mut log = vec![];
    for (i, home) in teams.iter().enumerate() {
        for away in &teams[i + 1..] {
            let result = concat(home, away).await;
            log.push(format!("{home} {away} {result}"));
        }
    }
    let mut at = 1;
    let mut lists = vec![list(n).await, list(n + 1).await, vec![n, 7]];
    for number in lists[at].iter_mut() {
        at += 1;
        *number += act(*number).await;
        *number += at as i64;
    }
    at %= 3;
    for number in lists[at].iter().skip(at).chain(&lists[0]) {
        at += 5;
        log.push(add(*number, at as i64).await.to_string());
        log.push(format!("{number}"));
    }
    let trip = Trip { from: n, stops: list(n).await, to: n + 9 };
    for (leg, stop) in trip.stops.iter().chain(std::iter::once(&trip.to)).enumerate() {
        let distance = add(*stop, -trip.from).await;
        log.push(format!("{leg}: {stop} {distance}"));
    }
    for pair in trip.stops[..trip.stops.len() / 2].windows(2).filter(|pair| pair[0] != pair[1]) {
        log.push(act(pair[0]).await.to_string());
        log.push(format!("{pair:?}"));
    }
    log.push(format!("{lists:?}"));
    log
}
