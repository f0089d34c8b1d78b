//! Literals beside other things in the items of a loop.

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Monthly,
    Yearly,
}

#[workflow]
async fn program(n: i64) -> (i64, Vec<String>) {
    let mut sum = 0;
    let names = vec!["a", "b", "c"];
    for (i, name) in names.into_iter().enumerate().filter(|(i, _)| i % 2 == 0) {
        sum += act(n + i as i64).await;
        fetch(name).await;
    }
    for (name, count) in [("a", n), ("b", 2)] {
        sum += act(count).await;
        fetch(name).await;
    }
    for row in vec![("a", n), ("b", 2)] {
        sum += act(row.1).await;
        fetch(row.0).await;
    }
    for (name, price) in ["a", "b", "c"].into_iter().zip(list(3).await) {
        fetch(name).await;
        sum += price;
    }
    for (i, (name, k)) in [("a", 1), ("b", n)].into_iter().enumerate().skip(1).rev() {
        fetch(name).await;
        sum += act(k).await + i as i64;
    }
    let pages = list(3).await;
    for (page, (name, k)) in pages.iter().zip([("a", 1), ("b", n)]) {
        fetch(name).await;
        sum += act(page + k).await;
    }
    let plans = [("basic", Kind::Monthly, 10), ("pro", Kind::Yearly, 20)];
    for (name, kind, cents) in plans.into_iter().filter(|plan| plan.1 == Kind::Monthly || n > 3) {
        let id = fetch(name).await;
        sum += act(cents).await + id.len() as i64;
        if kind == Kind::Yearly {
            break;
        }
    }
    let mut lines = Vec::new();
    for (kind, limits) in [("a", vec![1, 2]), ("b", vec![n])] {
        for limit in limits {
            lines.push(format!("{kind}{}", act(limit).await));
        }
    }
    for (id, line) in
        list(2).await.into_iter().zip([("u", Noisy::new("v")), ("w", Noisy::new("z"))])
    {
        act(id).await;
        fetch(line.0).await;
    }
    (sum, lines)
}
