//! A part is copied by an operand before one that moves the whole into a local with a type.

#[workflow]
async fn program(n: i64) -> i64 {
    let whole = (n, fetch("x").await);
    let other = whole.clone();
    let list = vec![
        whole.0,
        match n {
            x if x % 2 == 0 => {
                let moved: (i64, String) = whole;
                moved.1.len() as i64
            }
            _ => 2,
        },
    ];
    let pair = (other.0, {
        let moved: (i64, String) = other;
        act(moved.0).await
    });
    list.iter().sum::<i64>() + pair.0 + pair.1
}
