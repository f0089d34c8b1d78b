//! A number of a pattern learns behind an await which number it is.

#[workflow]
async fn program(n: i64) -> i64 {
    let (mut list, mut zero) = (table(n).await.into_values().collect::<Vec<i64>>(), 0);
    for x in 0..3 {
        if x == 0 {
            zero = act(x).await;
            list.push(x);
        } else if zero.pow(2) > 3 {
            note(x);
        }
    }
    list.len() as i64 + zero
}
