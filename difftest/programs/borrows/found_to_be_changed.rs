//! Items that can be changed, found among others: `iter_mut().find(..)`, `values_mut().min_by_key(..)`.

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Worker {
    load: i64,
    name: String,
    tasks: Vec<i64>,
}

#[workflow]
async fn assign(
    crew: BTreeMap<String, Worker>,
    n: i64,
) -> Result<BTreeMap<String, Worker>, String> {
    let mut crew = crew;
    if let Some(worker) = crew.values_mut().min_by_key(|worker| worker.load) {
        worker.load += act(worker.load).await;
        worker.tasks.push(act(n).await);
        note(&worker.name);
    }
    let busiest =
        crew.values_mut().max_by_key(|worker| worker.tasks.len()).ok_or("nobody works")?;
    let taken = std::mem::take(&mut busiest.tasks);
    busiest.load -= total(&taken).await;
    busiest.tasks.extend(taken.into_iter().skip(1));
    Ok(crew)
}

#[workflow]
async fn program(n: i64) -> (Vec<Line>, Result<BTreeMap<String, Worker>, String>, Vec<i64>) {
    let mut lines = order(n + 3).await.lines;
    let want = act(n).await % 3;
    if let Some(line) = lines.iter_mut().find(|line| note(line.count) > want) {
        line.count -= act(line.count).await;
        line.sku.push('!');
    }
    let wanted = fetch("sku").await;
    match lines.iter_mut().rev().find(|line| line.sku == wanted) {
        Some(line) => line.count += act(1).await,
        None => lines.push(Line { sku: wanted, count: act(n).await }),
    }
    let Some(last) =
        lines.iter_mut().skip(1).max_by(|a, b| a.count.cmp(&b.count).then(b.sku.cmp(&a.sku)))
    else {
        return (lines, Err("few".into()), Vec::new());
    };
    last.sku = concat(&last.sku, "most").await;
    last.count = 0;
    let mut numbers = list(n + 4).await;
    *numbers.iter_mut().max().expect("some") += act(7).await;
    if let Some(least) = numbers.iter_mut().min() {
        *least = act(*least).await + 50;
        tick().await;
        *least += 1;
    }
    let crew = words("ann bob cid").await.into_iter().zip(list(n + 3).await);
    let crew =
        crew.map(|(name, load)| (name.clone(), Worker { load, name, tasks: vec![load] })).collect();
    (lines, assign(crew, n).await, numbers)
}
