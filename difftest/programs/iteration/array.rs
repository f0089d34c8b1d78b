//! `for` over an array by value.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = String::new();
    for (index, part) in ["a", "b", "c"].map(String::from).into_iter().enumerate() {
        text.push_str(&fetch(&part).await);
        if index as i64 == n {
            break;
        }
    }
    for value in [n, n * 2, 7] {
        text += &act(value).await.to_string();
    }
    text
}
