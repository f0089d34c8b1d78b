//! Work that is handed to whoever has joined by a signal.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Worker {
    name: String,
    load: i64,
    tasks: VecDeque<(i64, String)>,
}
#[derive(Debug, Serialize, Deserialize)]
enum Event {
    Joined(String),
    Weight(i64),
    Quiet,
}
#[workflow]
async fn next_event(cx: &Context, patience: u64) -> Event {
    select! {
        Approve { by } = cx.signal::<Approve>() => Event::Joined(by),
        Bump(w) = cx.signal::<Bump>() => Event::Weight(w),
        _ = cx.sleep(seconds(patience)) => Event::Quiet,
    }
}
#[workflow]
async fn program(n: i64) -> Result<BTreeMap<String, Worker>, Box<str>> {
    let mut crew: BTreeMap<String, Worker> = BTreeMap::new();
    let mut backlog: VecDeque<_> =
        list(n + 3).await.into_iter().zip(["a".to_string(), "b".into(), "c".into()]).collect();
    let mut quiet = 0;
    while !backlog.is_empty() || crew.values().any(|w| !w.tasks.is_empty()) {
        match next_event(quiet + 1).await {
            Event::Joined(name) if crew.contains_key(&name) => {
                crew.get_mut(&name).unwrap().load += act(n).await
            }
            Event::Joined(name) => {
                let load = act(name.len() as i64).await;
                crew.insert(name.clone(), Worker { name, load, tasks: VecDeque::new() });
            }
            Event::Weight(w) => {
                if let Some(least) = crew.values().min_by_key(|w| w.load).map(|w| w.name.clone()) {
                    let worker = crew.get_mut(&least).unwrap();
                    worker.load += w;
                    if let Some((k, t)) = backlog.pop_front() {
                        worker.tasks.push_back((add(k, w).await, t));
                    }
                }
            }
            Event::Quiet => {
                quiet += 1;
                if quiet > 3 {
                    break;
                }
                let Some(worker) = crew.values_mut().next() else { continue };
                while let Some((k, text)) = worker.tasks.pop_front() {
                    let done = concat(&worker.name, &text).await;
                    worker.load -= k;
                    if done.len() > 20 {
                        worker.tasks.push_front((k, text));
                        break;
                    }
                }
            }
        }
    }
    if crew.is_empty() {
        return Err(format!("nobody, {} left", backlog.len()).into_boxed_str());
    }
    Ok(crew)
}
