//! `?` on what a statement or the body of an arm begins with, and more of the expression behind it; and
//! where the value of a `let … else` ends.

fn some(n: i64) -> Option<i64> {
    (n != 9).then_some(n)
}

fn rows(list: &mut Vec<Vec<i64>>, at: i64) -> Option<&mut Vec<i64>> {
    list.get_mut(at.rem_euclid(4) as usize)
}

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let mut list = vec![vec![n], vec![2, 3], list(n).await];
    rows(&mut list, n)?[0] += act(1).await;
    rows(&mut list, n)?[0] = 7;
    rows(&mut list, 1)?[1] ^= 1;
    rows(&mut list, 2)?.push(4);
    let sum = match n {
        0 => some(n)? + 1,
        1 | 2 => some(n)? as i64 * 2,
        3 => rows(&mut list, 1)?[0],
        _ if n > 10 => some(n)? - some(1)?,
        _ => 4,
    };
    if n > 3 {
        rows(&mut list, n)?[0] = sum;
    }
    let Some(even) = some(Some(n)?).filter(|n| n % 2 == 0).map(Some)? else {
        return Some(act(1).await);
    };
    let (0..=40, odd) = (even, !some(even)?) else { return None };
    let other = act(sum + odd).await;
    let Some(_) = Some(some(n))? else { return some(other) };
    let closure = |x: i64| -> Option<i64> { Some(match x { 0 => some(x)? + 2, _ => 3 }) };
    Some(other + sum + closure(0).unwrap_or(1) + note(list).len() as i64)
}
