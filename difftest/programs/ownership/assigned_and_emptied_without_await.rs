//! A value is assigned as a whole in a block without an await, which copies a part of it; the part is filled after an
//! await, or in the next round of a loop.

#[workflow]
async fn program(n: i64) -> i64 {
    let whole = (n, String::from("a"));
    let mut v = pair(n).await;
    let first = v.1;
    if flag(n).await {
        v = whole;
        let lost = v.1.clone();
        note(lost);
    } else {
        let lost = {
            v = (3, String::from("b"));
            v.1.clone()
        };
        note(lost);
    }
    tick().await;
    v.1 = fetch("x").await;
    note(first);
    let mut sum = v.1.len() as i64 + v.0;
    for i in 0..3 {
        v.1 = fetch("y").await;
        if flag(i).await {
            v = (i, String::from("c"));
            let lost = v.1.clone();
            note(lost);
            continue;
        }
        let last = match i {
            0 => {
                v = (4, String::from("z"));
                if n > 3 { v.1.clone() } else { String::new() }
            }
            _ => String::from("e"),
        };
        tick().await;
        note(last);
        sum += v.0;
    }
    v.1 = String::from("end");
    tick().await;
    v.1.len() as i64 + sum
}
