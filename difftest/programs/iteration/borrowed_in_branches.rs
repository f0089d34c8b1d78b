//! Loops over borrows in branches of a `match`, in a loop, with `?` and `return` out of them, and
//! with `select!` inside.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<Vec<String>, String> {
    let words = list(n).await.iter().map(|x| format!("w{x}")).collect::<Vec<_>>();
    let mut out = Vec::new();
    for round in 0..2 {
        for word in words.iter() {
            select! {
                text = fetch(word) => out.push(format!("{round} {word} {text}")),
                _ = cx.sleep(seconds(1)) => out.push(format!("late {word}")),
            }
            if out.len() > 5 {
                return Ok(out);
            }
        }
        match act(round).await {
            0 => {}
            x => {
                for byte in out.iter().rev() {
                    let (a, b) = join!(fetch(byte), act(x));
                    if a.len() as i64 > b + 40 {
                        return Err(byte.clone());
                    }
                }
            }
        }
    }
    Ok(out)
}
