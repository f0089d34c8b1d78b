//! A retry loop written by hand, with a growing pause.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<i64, String> {
    let mut pause = seconds(1);
    let mut attempt = 0;
    loop {
        match try_act(n + attempt).await {
            Ok(value) => return Ok(value),
            Err(error) if attempt == 2 => return Err(error.to_string()),
            Err(_) => {
                attempt += 1;
                cx.sleep(pause).await;
                pause *= 2;
            }
        }
    }
}
