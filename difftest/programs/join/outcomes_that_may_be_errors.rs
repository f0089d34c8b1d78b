//! What the branches of a `try_join!` give is dropped once, whether all are done or one fails.

type Made = std::result::Result<Noisy, Noisy>;

#[workflow]
async fn made(name: String, n: i64) -> Made {
    let x = act(n).await;
    if n > 2 {
        note(act(x).await);
    }
    if x == note(4) { Err(Noisy::new(name)) } else { Ok(Noisy::new(name)) }
}

#[workflow]
async fn of_calls(n: i64) -> bool {
    let both = try_join!(made("first".to_owned(), n), made("second".to_owned(), n + 1));
    note(both.is_ok());
    tick().await;
    match both {
        Ok((first, second)) => note((first.name(), second.name())) == ("", ""),
        Err(error) => note(error.name()).is_empty(),
    }
}

#[workflow]
async fn of_blocks(n: i64) -> i64 {
    let both = try_join!(
        async {
            tick().await;
            let first = Noisy::new("first");
            if n == 1 { Err(first) } else { Ok(first) }
        },
        async {
            let x = act(n).await;
            act(x).await;
            let second = Noisy::new("second");
            if n == 3 { Err(second) } else { Ok(second) }
        },
    );
    note(both.is_ok());
    match both {
        Ok((first, second)) => {
            tick().await;
            note((first.name(), second.name()));
        }
        Err(error) => {
            note(error.name());
        }
    }
    n
}

#[workflow]
async fn of_both(n: i64) -> std::result::Result<i64, Noisy> {
    let before = Noisy::new("before");
    let (block, call) = try_join!(
        async {
            let one = made("one".to_owned(), n).await?;
            let two = made("two".to_owned(), n + 1).await?;
            Ok((one, two))
        },
        made("call".to_owned(), n + 2),
    )?;
    note((block.0.name(), block.1.name(), call.name(), before.name()));
    Ok(n)
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(of_calls(n).await);
    note(of_blocks(n).await);
    note(of_both(n).await.is_ok());
    n
}
