//! A loop is left where branches meet of which one has awaited. What is left of its items is dropped after
//! the current one.

#[workflow]
async fn in_the_else_of_a_let(n: i64) -> i64 {
    let some = (n > 100).then_some(n);
    for noisy in vec![Noisy::new("one"), Noisy::new("last")] {
        let Some(number) = some else {
            match n {
                0..=1 => {}
                2 => {
                    let other = noisy;
                    note(2);
                }
                _ => {
                    drop(noisy);
                    act(3).await;
                }
            }
            break;
        };
        note(number);
    }
    note(3);
    act(n).await
}

#[workflow]
async fn left_at_once(n: i64) -> i64 {
    for noisy in [Noisy::new("first"), Noisy::new("second"), Noisy::new("third")] {
        if n > 1 {
            note(act(n).await);
        } else {
            note(noisy.name().len() as i64);
        }
        break;
    }
    note(4);
    n
}

#[workflow]
async fn from_within_another(n: i64) -> i64 {
    'outer: for outer in vec![Noisy::new("a"), Noisy::new("b")].into_iter().rev() {
        for (at, inner) in vec![Noisy::new("x"), Noisy::new("y"), Noisy::new("z")].into_iter().enumerate() {
            if at == 0 {
                continue;
            }
            if flag(n).await {
                drop(inner);
                note(act(at as i64).await);
            } else if n == 2 {
                note(5);
                continue 'outer;
            }
            note(6);
            break 'outer;
        }
    }
    note(7);
    n
}

#[workflow]
async fn program(n: i64) -> i64 {
    in_the_else_of_a_let(n).await + left_at_once(n).await + from_within_another(n).await
}
