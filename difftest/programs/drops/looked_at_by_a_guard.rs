//! A guard that looks at a value is not the end of it.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut last: Option<Noisy> = None;
    for round in 0_i64..5 {
        match round % 2 {
            0 => {
                if n > 3 {
                    act(round).await;
                }
                last = Some(vec![Noisy::new("a"), Noisy::new("b")].pop().unwrap_or(Noisy::new("c")));
            }
            1 if last.as_ref().is_some_and(|it| it.name().len() > 2) => {
                note("long");
            }
            _ => {}
        }
    }
    note(format!("{last:?}")).len() as i64
}
