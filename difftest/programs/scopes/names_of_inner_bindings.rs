//! What code without an await binds has nothing to do with a later variable of that name.

#[workflow]
async fn program(n: i64) -> String {
    let mut k = n;
    if n > 1 {
        let step = "abc";
        k += step.len() as i64;
    }
    for name in ["a", "bc"] {
        k += name.len() as i64;
    }
    let found = match k {
        0 => 0,
        word => {
            let text = "text";
            let count = |item: &str| item.len() as i64;
            word + count(text)
        }
    };
    let early = {
        let late;
        late = "literal";
        late.len()
    };
    let step = k * 2;
    let name = fetch("name").await;
    let word = act(step).await;
    let (text, item) = (words("x y").await, act(word).await);
    let late = fetch(&name).await;
    let note = note(item + 1);
    tick().await;
    format!("{step} {name} {word} {text:?} {item} {late} {note} {found} {early}")
}
