//! The same label for two loops one after the other, and an inner loop without.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = vec![];
    'a: loop {
        out.push(act(n).await);
        loop {
            tick().await;
            break 'a;
        }
    }
    'a: for i in 0..3 {
        loop {
            out.push(act(i).await);
            if i == 1 {
                break;
            }
            continue 'a;
        }
        out.push(note(i));
    }
    out
}
