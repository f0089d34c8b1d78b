//! A variable with the name of a constant is none: it may change, and what has been read of it may not.

const TABLE: [i64; 3] = [1, 2, 3];

#[workflow]
#[allow(non_snake_case)]
async fn program(n: i64) -> (i64, i64, Vec<i64>) {
    let mut COUNT = act(n).await;
    let before = COUNT;
    COUNT += 1;
    tick().await;
    let later = before * 1000 + COUNT;
    let LIST = vec![n, 5, 6];
    let mut AT = 0;
    let first = &LIST[AT];
    AT = 1;
    tick().await;
    let second = LIST.get(AT).unwrap();
    AT = 2;
    let sum = *first + *second + COUNT + { COUNT = 50; act(COUNT).await } + COUNT;
    let mut all = vec![TABLE[AT]];
    for item in &LIST[AT - 1..] {
        AT = 0;
        all.push(act(*item).await);
    }
    (later, sum, all)
}
