//! Constants, literals, ranges of characters and strings in patterns.

const LIMIT: i64 = 7;

#[workflow]
async fn program(n: i64) -> i64 {
    const FIRST: char = 'b';
    let by_number = match act(n).await % 10 {
        LIMIT => 1,
        ..LIMIT => act(2).await,
        i64::MAX => 3,
        _ => 4,
    };
    let by_letter = match letter(n).await {
        FIRST => 10,
        'c'..='f' => act(20).await,
        _ => 30,
    };
    match fetch("x").await.as_str() {
        "<x>" => by_number + by_letter,
        _ => act(by_letter).await,
    }
}
