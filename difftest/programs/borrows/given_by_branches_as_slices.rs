//! An operand that branches give is of the type that is wanted where it stands: a list or an array as a slice.

fn show(list: &[i64], n: i64) -> i64 {
    list.iter().sum::<i64>() + n
}

fn last(n: i64, list: &[i64]) -> i64 {
    list.len() as i64 + n
}

fn fill(list: &mut [i64], n: i64) -> i64 {
    list.iter_mut().for_each(|item| *item += n);
    n
}

fn text(text: &str, n: i64) -> i64 {
    text.len() as i64 + n
}

struct Page<'a> {
    lines: &'a [i64],
    size: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut list = list(n).await;
    let mut other = [1, n];
    let name = fetch("x").await;
    let mut sum = show(if n > 3 { &list } else { &[] }, act(n).await);
    sum += show(if act(n).await > 3 { &list } else { &[] }, act(n).await);
    sum += show(if n > 3 { &list } else { &other }, act(n).await);
    sum += last(
        act(n).await,
        match act(n).await {
            0..9 => &list,
            9..20 => &other,
            _ => &[],
        },
    );
    sum += show(
        match n {
            1 => &list,
            2 => &list[1..],
            3 => &[4, 5],
            _ => {
                note(n);
                &[]
            }
        },
        act(n).await,
    );
    let page = Page { lines: if n > 5 { &other } else { &list }, size: act(1).await };
    sum += page.lines.len() as i64 + page.size;
    sum += fill(if n > 4 { &mut list } else { &mut other }, act(n).await);
    sum += text(if n > 3 { &name } else { "none" }, act(n).await);
    sum + list.len() as i64 + other[0]
}
