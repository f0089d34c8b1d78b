//! A part that has been moved out and is filled later, while a region uses another part.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut pair = (n, String::from("first"));
    note(pair.1);
    if find(n).await.is_none() {
        let (found, flag) = join!(async { find(pair.0).await.is_some() }, flag(n));
        note(found);
        if flag {
            act(n).await;
            pair.1 = String::from("filled");
            note(pair.1.len());
        }
        return pair.0;
    }
    3
}
