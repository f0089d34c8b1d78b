//! `ref mut` in a `let` of what an await gives, used before the next await or after it.

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let Order { customer: ref mut name, lines, .. } = order(n).await;
    name.push('!');
    let mut said = name.clone();
    let (mut sum, ref mut text) = pair(n).await;
    text.push('?');
    said += text;
    let (ref mut first, (count, ref mut second)) = join!(fetch("a"), pair(sum));
    first.push_str(second);
    second.clear();
    sum += count + lines.len() as i64;
    said += first;
    let ref mut last = act(sum).await;
    *last += 1;
    sum += act(*last).await;
    let Some(ref mut item) = find(sum).await else { return (sum, said) };
    item.push('.');
    said += &fetch(item).await;
    item.push('.');
    (sum, said + item)
}
