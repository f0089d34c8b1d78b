//! A borrow of a loop's item, of which another borrow is made after an await in an arm.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut total = 0;
    for item in vec![String::from("a"), concat("b", "c").await, String::from("def")] {
        let borrowed = &item;
        match borrowed.len() {
            1 => total += 1,
            2 => {
                fetch("x").await;
                let again: &str = &(*borrowed);
                total += 10;
            }
            _ => {
                fetch("y").await;
                let again: &str = &(*borrowed);
                total += again.len() as i64;
            }
        }
    }
    total + n
}
