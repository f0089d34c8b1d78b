//! The type of a signal that only later code tells.

fn amount(bump: &Bump) -> i64 {
    bump.0
}

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let bump = cx.signal().await;
    tick().await;
    let Approve { by } = cx.signal().await;
    act(amount(&bump) + n).await + by.len() as i64
}
