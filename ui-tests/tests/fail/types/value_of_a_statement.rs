//! The value of a statement without a semicolon is `()`, that of a branch which awaits, too.

use piton::prelude::*;

#[activity(start_to_close = "1s")]
async fn count(n: u64) -> u64 {
    n
}

#[workflow]
async fn statements(cx: &Context, n: u64) -> piton::Result<u64> {
    match n {
        1 => {
            cx.sleep(seconds(1)).await;
            Vec::<u64>::new()
        }
        _ => {}
    }
    if n > 2 {
        count(n).await
    }
    for i in 0..n {
        cx.sleep(seconds(i)).await;
        i
    }
    select! {
        many = count(n) => many,
        _ = cx.sleep(seconds(2)) => {}
    }
    loop {
        if count(n).await > 3 {
            break n;
        }
    }
    if n > 4 {
        cx.sleep(seconds(3)).await;
        "5".parse::<u64>()?
    }
    if n > 5 {
        join!(count(1), count(2))
    }
    Ok(n)
}

#[workflow]
async fn of_one_type(cx: &Context, n: u64) {
    match n {
        1 => cx.sleep(seconds(1)).await,
        _ => count(n).await,
    };
    select! {
        many = count(n) => many,
        _ = cx.sleep(seconds(2)) => {}
    };
}

fn main() {}
