//! Loops as values, also nested and labeled.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut tries = n;
    let found = 'search: loop {
        let inner = loop {
            tries += 1;
            if tries > 12 {
                break 'search note(-1);
            }
            if flag(tries).await {
                break act(tries).await;
            }
        };
        if inner % 3 == 0 {
            break inner + act(0).await;
        }
    };
    found * 100 + tries
}
