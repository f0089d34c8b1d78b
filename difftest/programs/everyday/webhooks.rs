//! Events are delivered to endpoints, several times if need be; what cannot be is kept as dead letters.

use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Endpoint {
    url: String,
    topics: Vec<String>,
    failures: u32,
    disabled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DeadLetter {
    event: String,
    endpoint: String,
    errors: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    good: u64,
    bad: u64,
}

enum Step {
    Deliver(String),
    Stop,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<Endpoint>, Vec<DeadLetter>, Vec<String>) {
    let mut endpoints = Vec::new();
    for (i, url) in words("a b c d").await.into_iter().enumerate() {
        let topics = words(if i % 2 == 0 { "x y" } else { "y" }).await;
        endpoints.push(Endpoint { url, topics, failures: 0, disabled: i as i64 == n % 5 });
    }
    let mut queue = VecDeque::from(words("x y x z y").await);
    let mut dead = Vec::new();
    let mut per_topic: BTreeMap<String, Counts> = BTreeMap::new();
    loop {
        let step = match queue.pop_front() {
            Some(event) => Step::Deliver(event),
            None => select! {
                Approve { by } = cx.signal::<Approve>() => Step::Deliver(by),
                _ = cx.sleep(days(1)) => Step::Stop,
            },
        };
        let Step::Deliver(event) = step else { break };
        let counts = per_topic.entry(event.clone()).or_default();
        for endpoint in endpoints.iter_mut().filter(|endpoint| !endpoint.disabled) {
            if !endpoint.topics.contains(&event) {
                continue;
            }
            let signature = concat(&endpoint.url, &event).await;
            let mut errors = vec![];
            let ok = 'tries: {
                for attempt in 0..3_u32 {
                    match try_act(n + i64::from(attempt)).await {
                        Ok(n) if n % 3 == 0 => {
                            endpoint.disabled = true;
                            break 'tries false;
                        }
                        Ok(_) => break 'tries true,
                        Err(error) => errors.push(format!("{signature}: {error}")),
                    }
                    cx.sleep(seconds(4u64.pow(attempt))).await;
                }
                false
            };
            if ok {
                counts.good += 1;
                endpoint.failures = 0;
            } else {
                counts.bad += 1;
                endpoint.failures += 1;
                endpoint.disabled |= endpoint.failures >= 2;
                let endpoint = endpoint.url.clone();
                dead.push(DeadLetter { event: event.clone(), endpoint, errors });
            }
        }
        if dead.len() > 3 {
            note(act(dead.len() as i64).await);
            dead.drain(..2);
        }
        if per_topic.len() > 4 {
            break;
        }
    }
    let mut log = Vec::new();
    for (topic, Counts { good, bad }) in per_topic.iter().filter(|(_, counts)| counts.bad > 0) {
        log.push(concat(topic, &format!("{good}/{bad}")).await);
    }
    (endpoints, dead, log)
}
