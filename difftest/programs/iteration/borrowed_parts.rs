//! Loops over parts of a list or a text, and over two lists side by side, with an await in the body.

const WIDTH: usize = 2;

#[workflow]
async fn program(n: i64) -> (Vec<i64>, String) {
    let mut numbers = list(n).await;
    let text = format!("{} and,so {}", fetch("a").await, fetch("b,c").await);
    let width = numbers.len() / 2 + 1;
    let mut sums = Vec::new();
    for chunk in numbers.chunks(width) {
        sums.push(total(chunk).await + chunk.len() as i64);
    }
    for (at, pair) in numbers.windows(WIDTH).enumerate().skip(1) {
        let first = act(pair[0]).await;
        sums.push(first + pair[1] + at as i64);
    }
    for chunk in numbers.chunks_mut(2).rev() {
        let more = act(chunk[0]).await;
        chunk[0] += more;
    }
    let mut said = String::new();
    for word in text.split_whitespace() {
        for part in word.split(',') {
            said.push_str(&concat(part, word).await);
        }
    }
    for (sum, number) in sums.iter_mut().zip(&numbers) {
        let more = add(*number, *sum).await;
        *sum += more + number;
    }
    (sums, said)
}
