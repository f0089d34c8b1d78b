//! A branch assigns a local, or a part of it, after an await. A part of the local had been moved out and
//! was filled again before the branch was made.

#[workflow]
async fn as_a_whole(n: i64) -> i64 {
    let mut pair = (Noisy::new("a"), Noisy::new("b"));
    if flag(n).await {
        drop(pair.0);
    }
    for round in vec![1, 2] {
        pair.0 = Noisy::new("c");
        let (_, given) = join!(
            async {
                pair = (Noisy::new(fetch("a").await), Noisy::new("z"));
                act(round).await
            },
            act(n)
        );
        note(given);
    }
    4
}

#[workflow]
async fn in_part(n: i64) -> i64 {
    let mut pair = (fetch("a").await, Noisy::new("b"));
    for round in 0..2 {
        if flag(n).await {
            note(pair.0.len() as i64);
            drop(pair.0);
        }
        pair.0 = fetch("c").await;
        join!(
            async {
                act(round).await;
                pair.0 = fetch("d").await;
            },
            act(n)
        );
    }
    drop(pair.1);
    5
}

#[workflow]
async fn and_a_part_is_used(n: i64) -> String {
    let mut order = order(n).await;
    let name = order.customer;
    order.customer = fetch(&name).await;
    select! {
        given = async {
            join!(
                async {
                    act(n).await;
                    order.customer = fetch("inner").await;
                },
                act(4)
            );
            order = Order { id: act(7).await, customer: fetch("whole").await, lines: Vec::new() };
            act(1).await
        } => { note(given); }
        given = act(n) => { note(given); }
    }
    if n > 1 {
        note(order.lines.len() as i64);
        return order.customer;
    }
    format!("{} {}", order.id, order.lines.len())
}

#[workflow]
async fn program(n: i64) -> String {
    note(as_a_whole(n).await);
    note(in_part(n).await);
    and_a_part_is_used(n).await
}
