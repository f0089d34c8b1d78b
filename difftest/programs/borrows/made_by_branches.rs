//! Borrows of what branches make, which is kept to the end of the block around them.

#[workflow]
async fn program(n: i64) -> Option<String> {
    let known = Noisy::new("known");
    let other = list(n).await;
    let name = if n > 1 { &fetch("a").await } else { &"other".to_owned() };
    let rows = match n {
        0 => &list(1).await[..1],
        1 => &order(n).await.lines.iter().map(|line| line.count).collect::<Vec<_>>(),
        _ => &other,
    };
    let text: &str = if n > 2 { &*fetch("b").await } else { "none" };
    let negative = if n > 2 { &-act(1).await } else { &n };
    let of_block = {
        let first = act(2).await;
        &vec![first]
    };
    let noisy = if n > 3 {
        let _inner = Noisy::new("inner");
        tick().await;
        &Noisy::new("made")
    } else {
        &known
    };
    tick().await;
    let list = if n > 2 { &mut vec![act(n).await] } else { &mut vec![1, 2] };
    list.push(act(1).await);
    list.push(list.len() as i64);
    note(format!("{noisy:?}{list:?}"));
    let mut round = 0;
    while round < 3 {
        round += 1;
        let held = if round > 1 { &Noisy::new(format!("round {round}")) } else { noisy };
        let last = Noisy::new("last");
        if flag(round).await {
            continue;
        }
        note(format!("{held:?}{last:?}"));
    }
    let found = match n {
        2 => return None,
        3 => &order(2).await.customer,
        _ => name,
    };
    let (one, two) = join!(
        async {
            let text = if n > 1 { &fetch("x").await } else { found };
            tick().await;
            text.len()
        },
        async {
            let text = match act(n).await {
                0 => found,
                count if count > 3 => &fetch("long").await,
                _ => &format!("{n}"),
            };
            tick().await;
            text.len()
        }
    );
    Some(format!("{name}{rows:?}{text}{negative}{of_block:?}{found}{one}{two}"))
}
