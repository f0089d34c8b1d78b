//! Annotations that leave a gap are filled behind an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut best: Option<_> = None;
    let mut names: Vec<_> =
        words("a b").await.into_iter().take(0).map(|x: String| x.len()).collect();
    let mut map: BTreeMap<i64, _> = BTreeMap::new();
    for x in 0..5 {
        if best.is_none() {
            best = Some(Noisy::new(fetch("a").await));
        } else if best.as_ref().is_some_and(|it| it.name().len() > 2) {
            names.push(x as usize);
        }
        match map.get(&x) {
            None => {
                let v = fetch("b").await;
                map.insert(x + 1, v);
            }
            Some(v) => {
                note(v.len());
            }
        }
    }
    names.len() as i64
}
