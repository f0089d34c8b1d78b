//! `for` over vectors, arrays, options, maps, characters and adapters.

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<String> {
    let mut out = Vec::new();
    for x in list(n).await {
        out.push(text(x).await);
    }
    for (i, c) in "añb".to_owned().chars().enumerate().collect::<Vec<_>>() {
        out.push(format!("{c}{}", act(i as i64).await));
    }
    for x in [1, 2, 3] {
        if x == 2 {
            continue;
        }
        out.push(text(x).await);
    }
    for x in maybe(n).await {
        out.push(text(x).await);
    }
    let map: BTreeMap<i64, String> =
        list(n).await.into_iter().map(|x| (x, x.to_string())).collect();
    for (key, value) in map {
        out.push(format!("{key}{value}{}", act(key).await));
        if key > 3 {
            break;
        }
    }
    for x in (0..10).rev().step_by(4) {
        out.push(text(x).await);
    }
    for word in "a b c".split(' ').map(str::to_owned) {
        out.push(word + &text(1).await);
    }
    out
}
