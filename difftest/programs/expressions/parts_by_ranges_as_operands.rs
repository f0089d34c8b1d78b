//! Parts of lists and texts by their ranges, before an operand that awaits and changes an end of them.

fn sum(list: &[i64], more: i64) -> i64 {
    list.iter().sum::<i64>() * 10 + more
}
#[workflow]
async fn program(n: i64) -> (i64, String) {
    let list = vec![n, 2, 3];
    let mut at = 1;
    let a = sum(&list[1..], act(1).await);
    let b = sum(&list[at..], { at += 1; act(2).await });
    let c = sum(&list[at..=2], { at = 0; act(3).await });
    let d = sum(&list[at..][1..], { at = 2; act(4).await });
    let range = 1..3;
    let e = sum(&list[range.clone()], act(5).await) + sum(&list[range], act(6).await);
    let text = format!("hello{n}");
    let f = concat(&text[at..], &{ at = 1; fetch("a").await }).await;
    let g = concat(&text[..at + 1], &fetch("b").await).await;
    (a + b * 10 + c * 100 + d * 1000 + e, f + &g)
}
