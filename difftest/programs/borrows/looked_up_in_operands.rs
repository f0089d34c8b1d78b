//! What is looked up by a key that is made for it, in operands and macros.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut map = BTreeMap::from([(fetch("x").await, n), (String::from("<x>"), 3)]);
    if matches!(
        match map.get(&*String::from("<x>")) {
            Some(x) => {
                act(3).await;
                *x
            }
            None => 4,
        },
        1 | 2
    ) {
        return 3;
    }
    let sum = add(
        if let Some(x) = map.get(&*String::from("x")) {
            act(2).await;
            note(*x)
        } else {
            4
        },
        match map.get(&fetch("x").await) {
            Some(x) => {
                for i in 0_i64..3 {
                    let Some(_) = Some(i).filter(|it| *it < n) else {
                        return act(3).await;
                    };
                    note(*x);
                }
                *x
            }
            None => 1,
        },
    )
    .await;
    let changed = act(match map.get_mut(&*format!("<{}>", "x")) {
        Some(x) => {
            *x += sum;
            *x += act(*x).await;
            note(*x)
        }
        None => 3,
    })
    .await;
    note(map);
    changed
}
