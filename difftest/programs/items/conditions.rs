//! `#[cfg]` and `#[cfg_attr]` on everything that may have them.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Config {
    limit: i64,
    #[cfg(any())]
    missing: i64,
}

#[workflow]
async fn with_parameter(#[cfg(any())] missing: Missing, #[cfg(all())] n: i64) -> i64 {
    act(n).await
}

#[workflow]
async fn program(n: i64) -> String {
    #[cfg(any())]
    let label = fetch("never").await;
    #[cfg(not(any()))]
    let label = fetch("always").await;
    let config = Config {
        limit: act(n).await,
        #[cfg(any())]
        missing: act(1).await,
    };
    #[cfg(any())]
    async fn inner(n: Missing) -> i64 {
        act(n).await
    }
    #[cfg(all())]
    async fn inner(n: i64) -> i64 {
        act(n).await + 1
    }
    let Config {
        limit,
        #[cfg(any())]
        missing,
    } = config;
    let kind = match inner(n).await % 4 {
        #[cfg(any())]
        0 => missing().await,
        0 | 1 => act(7).await,
        #[cfg(all())]
        2 => act(8).await,
        _ => 9,
    };
    #[cfg_attr(all(), allow(unused_variables))]
    let unused = act(2).await;
    #[cfg(any())]
    {
        tick().await;
        note("never");
    }
    #[cfg(all())]
    {
        tick().await;
        note("block");
    }
    #[cfg(any())]
    while act(1).await > 0 {}
    let pair = select! {
        a = act(n) => {
            #[cfg(any())]
            tick().await;
            #[cfg(all())]
            note("chosen");
            a
        }
        _ = tick() => 0,
    };
    #[cfg(any())]
    return missing(n).await;
    format!("{label} {limit} {kind} {pair} {}", with_parameter(n).await)
}
