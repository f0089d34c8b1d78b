//! `select!` in a loop, with jumps and `?` in the handlers.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<Vec<i64>, Error> {
    let mut out = Vec::new();
    let mut round = 0;
    loop {
        round += 1;
        if round > 8 {
            return Ok(out);
        }
        select! {
            x = try_act(round - n) => {
                out.push(x?);
                continue;
            }
            y = act(round) => {
                out.push(y);
                if round > 3 {
                    break;
                }
                out.push(try_act(round).await?);
            }
        }
        if round > 5 {
            return Ok(out);
        }
    }
    out.push(act(7).await);
    Ok(out)
}
