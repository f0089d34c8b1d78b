//! Branches that await give borrows of types that become one where they are wanted.
fn push_to(list: &mut [i64], n: i64) {
    list[0] += n;
}
fn show(x: &dyn std::fmt::Debug, y: i64) -> String {
    note(format!("{x:?}{y}"))
}
fn both(a: &str, b: &[i64]) -> usize {
    a.len() + b.len()
}
fn all3(a: &str, b: i64, c: &[i64]) -> usize {
    note(b);
    a.len() + c.len()
}
#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut list = vec![n, 4];
    let mut array = [1, 2];
    let (text, boxed) = (fetch("x").await, Box::new(String::from("boxed")));
    push_to(
        if n > 1 {
            &mut list
        } else {
            tick().await;
            &mut array
        },
        act(1).await,
    );
    push_to(
        if n > 1 {
            tick().await;
            &mut list
        } else {
            &mut array
        },
        2,
    );
    show(
        if n > 1 {
            &list
        } else {
            tick().await;
            &array
        },
        2,
    );
    show(
        match n {
            1 => &text,
            2 => {
                tick().await;
                &list
            }
            _ => &boxed,
        },
        act(2).await,
    );
    let k = both(
        if n > 1 {
            &text
        } else {
            tick().await;
            &boxed
        },
        if n > 2 {
            &array
        } else {
            tick().await;
            &list
        },
    );
    list.push(k as i64);
    let k = both(
        if n > 1 { &text } else { "no" },
        if n > 2 {
            &array
        } else {
            tick().await;
            &list
        },
    );
    list.push(
        k as i64
            + (if n > 1 {
                &text
            } else {
                tick().await;
                &boxed
            })
            .len() as i64,
    );
    list.extend(if n > 1 {
        &array[..]
    } else {
        tick().await;
        &array[1..]
    });
    note(
        fetch(if flag(n).await {
            &boxed
        } else {
            tick().await;
            "literal"
        })
        .await,
    );
    note(
        concat(
            if n == 2 {
                tick().await;
                &text
            } else {
                &boxed
            },
            &fetch("b").await,
        )
        .await,
    );
    note(all3(
        if n > 1 {
            tick().await;
            &text
        } else {
            &boxed
        },
        act(1).await,
        if n > 2 {
            &array
        } else {
            tick().await;
            &list
        },
    ));
    list
}
