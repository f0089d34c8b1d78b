//! rustc warns of variables that nobody reads, and by the names that they have in the source.

#[workflow]
async fn program(n: i64) -> i64 {
    let before = n + 1;
    let first = act(n).await;
    let (second, text) = pair(first).await;
    for index in 0..2 {
        let inside = index;
        tick().await;
    }
    match shape(n).await {
        Shape::Circle { radius } => tick().await,
        Shape::Rect(width, height) => return height,
        _ => {}
    }
    if let Some(found) = find(n).await {
        tick().await;
    }
    select! {
        value = act(2) => {}
        other = act(3) => tick().await,
    }
    let first = first;
    given_by_blocks_and_branches(second).await
}

#[workflow]
async fn given_by_blocks_and_branches(n: i64) -> i64 {
    let by_block = {
        act(n).await;
        3
    };
    let by_branch = if n > 1 { act(1).await } else { 2 };
    let by_arm = match act(1).await {
        1 => 2,
        _ => act(3).await,
    };
    let dropped = {
        if n == 2 {
            act(3).await;
        }
        Noisy::new("late")
    };
    let by_break = loop {
        break act(3).await;
    };
    note(7);
    n
}
