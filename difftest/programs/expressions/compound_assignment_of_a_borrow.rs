//! What is added to by a borrow is evaluated before that: only for two numbers the right side comes first.

fn at(n: usize) -> usize {
    note(n)
}

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut names = words("a b c").await;
    names[act(n).await as usize % 3] += &fetch("x").await;
    names[at(1)] += &concat("y", &n.to_string()).await;
    names[at(2)] += (&fetch("z").await);
    let mut notes: BTreeMap<i64, String> = BTreeMap::new();
    *notes.entry(2).or_default() += &fetch("note").await;
    *notes.get_mut(&2).unwrap() += &concat("more", &names[0]).await;
    if let Some(text) = notes.get_mut(&2) {
        *text += &fetch(&n.to_string()).await;
    }
    names.push(format!("{notes:?}"));
    let mut sums = vec![n, 2];
    sums[at(0)] += act(3).await;
    sums[letter(0).await as usize % 2] -= add(n, 1).await;
    names.push(format!("{sums:?}"));
    names
}
