//! Parts of lists are matched where they are, by what awaits and with guards that do.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let [a, ..] = list(n).await[..] else { return None };
    let [ref x, ref rest @ ..] = words("a b c").await[..] else {
        tick().await;
        return Some(a);
    };
    let mut sum = act(a).await + rest.len() as i64 + x.len() as i64;
    if let [a, .., b] = list(n + 2).await[..]
        && a < b
    {
        sum += add(a, b).await;
    }
    let lists = vec![list(n).await, list(n + 1).await];
    for l in &lists {
        let [.., z] = l[..] else { continue };
        sum += act(z).await;
        match l[1..] {
            [] => sum += 1,
            [x, ..] if x % 2 == 0 => sum += x,
            [_, ref rest @ ..] => sum += total(rest).await,
        }
    }
    Some(sum)
}
