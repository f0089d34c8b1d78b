//! Iterators that are called on with an await in the arguments.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Basket {
    items: Vec<i64>,
    label: String,
}

fn make(n: i64) -> Vec<i64> {
    note("made");
    vec![n, n + 1]
}

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let names = words("a b c").await;
    let mut basket = Basket { items: list(n + 2).await, label: fetch("label").await };
    let limit = act(n).await % 4;
    let mut out = vec![];
    let pairs: Vec<(String, i64)> = names.iter().cloned().zip(list(n + 3).await).collect();
    out.push(format!("{pairs:?}"));
    let mut more: Vec<(String, i64)> = words("d e").await.into_iter().zip(list(3).await).collect();
    more.extend(names.iter().map(|name| format!("{name}!")).zip(list(4).await));
    out.push(format!("{more:?}"));
    let third = basket.label.chars().nth(act(n).await as usize % 4);
    let part = basket.label.split('a').nth(act(1).await as usize % 2).map(str::to_owned);
    let is_in = basket.items.iter().any({
        let wanted = act(2).await;
        move |item: &i64| *item > wanted
    });
    let sum: i64 = basket.items.iter().filter(|item| **item > limit).chain(&list(2).await).sum();
    let joined: Vec<i64> = basket
        .items
        .iter()
        .rev()
        .skip(1)
        .chain(make(n).iter())
        .copied()
        .chain(list(3).await)
        .collect();
    let counted: Vec<(i64, i64)> = (0..3).map(|i| i * limit).zip(list(4).await).collect();
    let spare: Vec<_> = make(limit)
        .iter()
        .enumerate()
        .map(|(i, x)| x + i as i64)
        .take(note(2))
        .chain([act(5).await])
        .collect();
    let folded = basket.items.iter().fold(act(3).await, |a, b| a + b);
    let most = basket.items.drain(..).max().unwrap_or(act(4).await);
    let mut slot = Some(n);
    let taken = slot.take().zip(find(n).await);
    let kept = slot.or(Some(act(1).await));
    let mapped = kept.map(|x| note(x + 1)).filter(|x| note(*x) > 2).or(Some(act(2).await));
    out.push(format!("{third:?}{part:?}{is_in}{sum}{joined:?}{counted:?}{spare:?}{folded}{most}{taken:?}{kept:?}{mapped:?}"));
    for (name, size) in names.iter().zip(list(3).await) {
        out.push(concat(name, &size.to_string()).await);
    }
    out
}
