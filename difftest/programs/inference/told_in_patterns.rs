//! What a pattern binds of `(None, Vec::new())` learns its type behind an await.

#[workflow]
async fn program(n: i64) -> i64 {
    let (mut best, mut names) = (None, Vec::new());
    let [mut a, mut b] = [None, None];
    for x in 0..5 {
        match x % 3 {
            0 => {
                best = Some(fetch("a").await);
                let text = fetch("b").await;
                names.push(text.clone());
                a = Some(text.clone());
                b = Some(text);
            }
            1 if best.as_ref().is_some_and(|t| t.len() > 1) => {
                note(names.iter().map(|t| t.len()).sum::<usize>());
            }
            _ => {
                note(best.as_ref().map(|t| t.len()));
                note(a.as_ref().map(|t| t.len()));
                note(b.as_ref().map(|t| t.len()));
            }
        }
    }
    n
}
