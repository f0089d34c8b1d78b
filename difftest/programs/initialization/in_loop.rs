//! A local declared outside of a loop, initialized in it once before it is left.

#[workflow]
async fn program(n: i64) -> i64 {
    let found: (i64, String);
    let mut i = n;
    loop {
        let value = act(i).await;
        if value % 3 == 1 {
            found = (value, fetch(&i.to_string()).await);
            break;
        }
        i += 1;
    }
    tick().await;
    found.0 + found.1.len() as i64
}
