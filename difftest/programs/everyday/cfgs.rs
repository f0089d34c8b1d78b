//! Conditional compilation and lint attributes on statements, arms, fields and branches.

#[derive(Debug, Serialize, Deserialize)]
struct Pair {
    left: i64,
    #[cfg(any())]
    missing: NoSuchType,
    right: i64,
}

#[workflow]
async fn program(n: i64) -> i64 {
    #[cfg(any())]
    let gone = no_such_function().await;
    #[cfg(all())]
    let kept = act(n).await;
    #[allow(unused_variables)]
    let unused = act(2).await;
    let pair = Pair {
        left: act(3).await,
        #[cfg(any())]
        missing: no_such_function().await,
        right: kept,
    };
    let value = match kept % 3 {
        0 => act(4).await,
        #[cfg(any())]
        7 => no_such_function().await,
        #[allow(clippy::all)]
        1 => {
            #[cfg(any())]
            {
                no_such_function().await
            }
            #[cfg(all())]
            {
                act(5).await
            }
        }
        _ => 9,
    };
    if cfg!(any()) {
        tick().await;
    }
    let many = vec![1, #[cfg(all())] act(6).await];
    note((&pair, &many));
    pair.left + pair.right + value
}
