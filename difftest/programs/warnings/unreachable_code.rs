//! rustc warns of code that nothing comes to.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut count = act(n).await;
    if count > 50 {
        return count;
        tick().await;
    }
    loop {
        count += 1;
        if flag(count).await {
            break;
            count += 2;
        }
        if count > 10 {
            continue;
            count += act(1).await;
        }
    }
    match count {
        3 => return 3,
        _ => {}
    }
    return note(count);
    note(1)
}
