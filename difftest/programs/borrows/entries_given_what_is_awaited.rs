//! What is put into an entry of a map is awaited, by itself, with a change of it, and to be held.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut counts = BTreeMap::<String, i64>::new();
    counts.entry(fetch("a").await).or_insert(act(3).await);
    counts.entry(note_key("a")).or_insert(act(note_number(4)).await);
    *counts.entry(fetch("b").await).or_insert(act(n).await) += 1;
    *counts.entry(note_key("c")).or_insert(act(3).await) += act(4).await;
    let key = fetch("d").await;
    let held = counts.entry(key.clone()).or_insert(act(5).await);
    *held += act(n).await;
    note(*held + key.len() as i64);
    let mut lists = BTreeMap::<i64, Vec<Noisy>>::new();
    for at in 0..3 {
        lists.entry(at % 2).or_insert(vec![make(at).await]).push(Noisy::new("pushed"));
        lists.entry(act(at).await).or_insert_with(Vec::new).push(make(at + 1).await);
    }
    let mut owners = BTreeMap::from([(n, Noisy::new("owner"))]);
    note(owners.entry(n).or_insert(make(7).await).name().len() as i64);
    note(owners.entry(n + 1).or_insert(make(8).await).name().len() as i64);
    let first = owners.entry(n).or_insert(make(9).await);
    first.rename(fetch("new").await);
    counts.values().sum::<i64>() + lists.len() as i64
}

fn note_key(key: &str) -> String {
    note(key.len() as i64);
    String::from(key)
}

fn note_number(number: i64) -> i64 {
    note(number);
    number
}

#[workflow]
async fn make(n: i64) -> Noisy {
    Noisy::new(fetch(&n.to_string()).await)
}
