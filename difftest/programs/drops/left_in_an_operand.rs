//! A jump out of an operand drops the operands before it, and then what methods have been called on.

fn both(_a: Noisy, b: Noisy) -> Noisy {
    b
}
fn three(_a: Noisy, _n: usize, _x: i64, b: Noisy) -> Noisy {
    b
}

#[workflow]
async fn program(n: i64) -> i64 {
    tick().await;
    let x = both(
        Noisy::new("0"),
        vec![Noisy::new(fetch("6").await), Noisy::new("last")].pop().unwrap_or({
            if flag(n).await {
                return 0;
            }
            Noisy::new(fetch("x").await)
        }),
    );
    note(x);
    let y = three(
        Noisy::new("a"),
        vec![Noisy::new("long")].len(),
        {
            if n == 1 {
                return 4;
            }
            act(n).await
        },
        both(
            Noisy::new("b"),
            vec![Noisy::new("c"), Noisy::new("d")].pop().unwrap_or({
                if flag(n).await {
                    return 1;
                }
                Noisy::new("e")
            }),
        ),
    );
    note(y);
    1
}
