//! A value made by a closure that needs the types of its captures.

#[workflow]
async fn program(n: i64) -> Vec<(usize, String)> {
    let offset = act(n).await as usize;
    let texts = words("x yy zzz").await;
    let weigh = |text: &String| (text.len() + offset, text.clone());
    let mut weighed: Vec<_> = texts.iter().map(weigh).collect();
    weighed.sort_by(|a, b| b.cmp(a));
    tick().await;
    weighed.truncate(act(offset as i64).await as usize % 3 + 1);
    weighed
}
