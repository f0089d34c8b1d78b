//! A variable that is given one borrowed text after the other, with awaits between.

#[workflow]
async fn program(n: i64) -> String {
    let words = words("a bb ccc").await;
    let mut longest = words[0].as_str();
    for word in &words {
        if act(word.len() as i64).await > n % 2 && word.len() > longest.len() {
            longest = word;
        }
    }
    let mut shortest = longest;
    let mut index = 0;
    let last = loop {
        let word = words[index].as_str();
        if add(index as i64, n).await > 2 || index + 1 == words.len() {
            break word;
        }
        if word.len() < shortest.len() {
            shortest = word;
        }
        index += 1;
    };
    tick().await;
    format!("{longest} {shortest} {last}")
}
