//! Variables that get their value later.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, String, i64) {
    let x;
    let name: String;
    if flag(n).await {
        x = act(1).await;
        name = "even".to_owned();
    } else {
        name = text(n).await;
        x = 5;
    }
    let y;
    act(x).await;
    match n {
        1 => y = 10,
        _ => {
            y = act(n).await;
            note(y);
        }
    }
    act(4).await;
    (x, name, y)
}
