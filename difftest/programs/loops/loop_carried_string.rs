//! An owned value that is moved and replaced in every round.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = String::from("s");
    let mut previous = String::new();
    for i in 0..n.min(4) {
        let next = concat(&text, &i.to_string()).await;
        previous = std::mem::replace(&mut text, next);
        note(&previous);
    }
    text + &previous
}
