//! Traits that are brought into an inner block for their methods alone.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = String::new();
    for index in 0..n % 4 {
        use std::fmt::Write as _;
        let value = act(index).await;
        write!(text, "{index}:{value} ").unwrap();
    }
    if n > 2 {
        use std::fmt::Write as _;
        use std::iter::Iterator as _;
        const _: () = assert!(usize::MAX > 1);
        tick().await;
        writeln!(text, "{}", [n, 2].iter().sum::<i64>()).unwrap();
    }
    text
}
