//! What is lent from the end of a list, of both halves of one, and of the middle of a text.

#[workflow]
async fn program(n: i64) -> String {
    let text = fetch("--name--").await;
    let name = text.trim_matches('-');
    let end = text.trim_start_matches(|c: char| c != 'n');
    let begin = text.trim_end_matches("--");
    tick().await;
    let mut out = format!("{name} {end} {begin}");

    let mut list = vec![n, 2, 3, 4];
    let last = list.iter().next_back().unwrap();
    let second = list.iter().nth_back(1).unwrap();
    out += &act(*last + second).await.to_string();
    out += &format!("{last}{second}");

    if let Some((first, rest)) = list.split_first_mut() {
        *first += act(rest[0]).await;
        rest[1] += *first;
    }
    let (left, right) = list.split_at_mut(2);
    left[0] += act(right[0]).await;
    right[1] += left[1];
    if let Some((last, rest)) = list.split_last_mut() {
        *last -= act(7).await;
        rest[0] = *last;
    }
    format!("{out} {list:?}")
}
