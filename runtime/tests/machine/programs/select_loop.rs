//! `select!` in a loop, with jumps and `?` in the handlers.

crate::harness::program! {
    async fn select_loop(cx: &Context, n: i64) -> Result<Vec<i64>, Broken> {
        let mut out = Vec::new();
        let mut round = 0;
        loop {
            round += 1;
            if round > 8 {
                return Ok(out);
            }
            select! {
                x = checked(round - n) => {
                    out.push(x?);
                    continue;
                }
                y = step(round) => {
                    out.push(y);
                    if round > 3 {
                        break;
                    }
                    out.push(checked(round).await?);
                }
            }
            if round > 5 {
                return Ok(out);
            }
        }
        out.push(step(7).await);
        Ok(out)
    }
    (0) (1) (10)
}
