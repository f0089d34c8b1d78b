//! Values that are not used again stay through loops that may await, and those of a round go with it.

#[workflow]
async fn program(n: i64) -> i64 {
    let _before = Noisy::new("before");
    let mut count = 0;
    'outer: loop {
        let _round = Noisy::new(format!("round {count}"));
        count += 1;
        for i in 0..3 {
            let _item = Noisy::new(format!("item {i}"));
            if i == n {
                tick().await;
                continue 'outer;
            }
            if count > 1 {
                note("enough");
                break 'outer;
            }
            note(i);
        }
        if count > 5 {
            tick().await;
        }
        if count > 3 {
            break;
        }
    }
    let _between = Noisy::new("between");
    while count > 0 {
        let _turn = Noisy::new("turn");
        if count == 100 {
            act(1).await;
        }
        count -= 1;
    }
    let found = 'search: {
        let _search = Noisy::new("search");
        if n == 2 {
            break 'search act(5).await;
        }
        if n == 0 {
            break 'search 7;
        }
        note("not found");
        n
    };
    note("end");
    found
}
