//! `return`, `?` and `break` drop what is in scope in reverse order, also after a join where nothing
//! was awaited.

fn checked(n: i64) -> Result<i64> {
    if n == 2 { Err(Error::msg("two")) } else { Ok(n) }
}

#[workflow]
async fn program(n: i64) -> Result<i64> {
    let _first = Noisy::new("first");
    if n == 1 {
        tick().await;
    }
    let _second = Noisy::new("second");
    let value = {
        let _inner = Noisy::new("inner");
        if n == 100 {
            tick().await;
        }
        checked(n)?
    };
    if n == 0 {
        let _branch = Noisy::new("branch");
        if value == 9 {
            tick().await;
        }
        return Ok(note(5));
    }
    let _third = Noisy::new("third");
    loop {
        let _round = Noisy::new("round");
        if n == 101 {
            act(n).await;
        }
        if n == 3 {
            break;
        }
        let _rest = Noisy::new("rest");
        return Ok(note(value));
    }
    note("end");
    Ok(value)
}
