//! A method changes a part of a value, which is assigned as a whole elsewhere.

#[workflow]
async fn program(n: i64) -> ((String, String), Vec<i64>) {
    let mut pair = (fetch("a").await, fetch("b").await);
    pair.1.push_str("changed");
    tick().await;
    if n > 1 {
        pair.1 = String::from("filled");
    }
    tick().await;
    let mut lists = (list(n).await, list(1).await);
    let added = {
        lists.0.push(7);
        if n == 2 {
            lists.1.clear();
        }
        act(lists.0.len() as i64).await
    };
    {
        if n > 2 {
            lists.0 = vec![added];
        } else {
            lists.1 = vec![n];
        }
    }
    lists.1.extend([act(1).await]);
    lists.0.retain(|item| *item > 1);
    lists.0.append(&mut lists.1);
    (pair, lists.0)
}
