//! Lists that grow by literals are held across awaits.

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let mut failed = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (name, k) in [("a", 1), ("b", n), ("c", 7)] {
        if act(k).await % 2 == 0 {
            failed.push(name);
        }
        seen.push(name);
    }
    for name in &failed {
        fetch(name).await;
    }
    for name in failed {
        fetch(name).await;
    }

    let mut steps = vec![("a", 1), ("b", n)];
    tick().await;
    steps.push(("c", act(3).await));
    let stages = steps.clone();
    while let Some((name, price)) = steps.pop() {
        fetch(name).await;
        act(price).await;
    }
    for (stage, k) in stages.iter().copied() {
        fetch(stage).await;
        act(k).await;
    }

    let mut queue = VecDeque::from([("a", 1), ("b", n)]);
    let mut sum = 0;
    while let Some((name, k)) = queue.pop_front() {
        let k = act(k).await;
        if k % 3 == 1 && queue.len() < 5 {
            queue.push_back((name, k / 2));
        }
        sum += k;
    }

    let ranked = ["low", "mid", "high"].into_iter().zip(list(3).await).collect::<Vec<_>>();
    tick().await;
    for (label, x) in ranked {
        fetch(label).await;
        sum += act(x + n).await;
    }
    let tags: Vec<&str> = if n > 2 { vec!["a", "b"] } else { vec![] };
    tick().await;
    (sum, format!("{seen:?} {tags:?}"))
}
