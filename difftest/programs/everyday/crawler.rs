//! Pages are fetched as they are found, each once, and not too many of one host in a minute.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    pages: BTreeMap<String, i64>,
    broken: Vec<(String, String)>,
    waits: u32,
}

fn host(url: &str) -> Option<&str> {
    url.strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?
        .split('/')
        .next()
        .filter(|host| !host.is_empty())
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Report {
    let seeds = words("https://a/1 http://b ftp://c https:///").await;
    let mut frontier: VecDeque<(String, u8)> = seeds.into_iter().map(|url| (url, 0)).collect();
    let mut visited: BTreeSet<String> = BTreeSet::new();
    let mut rules: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut budget: BTreeMap<String, (u32, Timestamp)> = BTreeMap::new();
    let mut report = Report::default();
    while let Some((url, depth)) = frontier.pop_front() {
        if visited.len() >= 9 {
            break;
        }
        if !visited.insert(url.clone()) {
            continue;
        }
        let Some(host) = host(&url).map(str::to_owned) else {
            report.broken.push((url, "no host".into()));
            continue;
        };
        if !rules.contains_key(&host) {
            let fetched = list(n).await;
            rules.insert(host.clone(), fetched);
        }
        let forbidden = rules.get(&host).map(Vec::as_slice).unwrap_or_default();
        if forbidden.iter().any(|rule| url.len() as i64 == *rule) {
            continue;
        }
        let (used, since) = budget.entry(host).or_insert_with(|| (0, cx.now()));
        if *used >= 2 {
            let elapsed = cx.now().saturating_since(*since);
            if let Some(rest) = minutes(1).checked_sub(elapsed) {
                cx.sleep(rest).await;
                report.waits += 1;
            }
            (*used, *since) = (0, cx.now());
        }
        *used += 1;
        let size = match try_act(url.len() as i64 + n).await {
            Ok(size) => size,
            Err(error) => {
                report.broken.push((url, error.to_string()));
                continue;
            }
        };
        if depth < 2 {
            let links = (0..size % 4).map(|link| format!("https://a/{link}"));
            let links = links.filter(|link| !visited.contains(link)).map(|link| (link, depth + 1));
            frontier.extend(links);
        }
        note(*used);
        report.pages.insert(url, size);
    }
    report
}
