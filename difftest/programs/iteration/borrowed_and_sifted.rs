//! Loops over some of the items that a local lends: what the iterator leaves out, the loop does.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Endpoint {
    url: String,
    failures: i64,
    disabled: bool,
}

fn is_open(endpoint: &&Endpoint) -> bool {
    note(("looks at", endpoint.failures));
    !endpoint.disabled
}

#[workflow]
async fn program(n: i64) -> (Vec<Endpoint>, Vec<String>) {
    let mut endpoints = vec![];
    for url in words("a bb ccc dddd eeeee ffffff").await {
        let failures = act(n + url.len() as i64).await % 7;
        endpoints.push(Endpoint { disabled: failures > 5, failures, url });
    }
    let mut log = vec![];
    // What the body changes is what the filter sees of later items, and not of this one.
    for endpoint in endpoints.iter_mut().filter(|endpoint| !endpoint.disabled) {
        note(("open", &endpoint.url));
        if !flag(endpoint.failures).await {
            endpoint.failures += act(endpoint.failures).await;
            endpoint.disabled = endpoint.failures > 9;
            continue;
        }
        log.push(concat(&endpoint.url, "ok").await);
    }
    let mut seen = BTreeSet::new();
    let mut left = 3;
    for (at, endpoint) in
        endpoints.iter().rev().filter(|e| seen.insert(e.failures % 3)).enumerate().take(left)
    {
        left -= 1;
        log.push(concat(&endpoint.url, &at.to_string()).await);
        log.push(format!("{at} {left} {}", endpoint.failures));
    }
    log.push(format!("{seen:?}"));
    for Endpoint { url, failures, .. } in endpoints.iter().filter(is_open).skip(1) {
        log.push(fetch(url).await);
        log.push(failures.to_string());
    }
    let limit = act(n).await % 9;
    for endpoint in &endpoints {
        if endpoint.failures >= limit {
            break;
        }
        log.push(concat(&endpoint.url, "low").await);
        if endpoint.failures == 2 {
            break;
        }
        note(&endpoint.url);
    }
    let counts: BTreeMap<String, i64> =
        endpoints.iter().map(|e| (e.url.clone(), e.failures)).collect();
    for (url, count) in counts.iter().filter(|(_, count)| **count > 1).rev() {
        log.push(concat(url, &count.to_string()).await);
        log.push(url.clone());
    }
    for line in fetch("x\n\ny").await.lines().map(str::trim).filter(|line| !line.is_empty()) {
        note(line);
    }
    for line in concat("x\n\ny", "\n z").await.lines().filter(|line| !line.is_empty()) {
        log.push(fetch(line).await);
        log.push(line.to_owned());
    }
    (endpoints, log)
}
