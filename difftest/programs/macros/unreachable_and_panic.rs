//! Diverging macros as arms, one of which is taken.

#[workflow]
async fn program(n: i64) -> i64 {
    let value = match act(n).await % 5 {
        0 => panic!("no {} for {n}", note("luck")),
        1 => act(1).await,
        2 => todo!(),
        3 => 3,
        4 => unreachable!("act({n}) is {}", fetch("x").await),
        _ => unimplemented!(),
    };
    act(value).await
}
