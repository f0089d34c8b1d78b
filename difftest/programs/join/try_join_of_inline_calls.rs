//! After a failure the branches after it are not stepped any more, even if what they wait for is there.

#[workflow]
async fn checked(name: String, n: i64) -> std::result::Result<i64, String> {
    let x = act(n).await;
    note((&name, x));
    if n % 2 == 0 {
        return Err(format!("{name} {x}"));
    }
    let y = act(x).await;
    note((&name, y));
    if n % 3 == 0 { Err(name) } else { Ok(y) }
}

#[workflow]
async fn program(n: i64) -> String {
    let first = try_join!(checked("a".to_owned(), n), checked("b".to_owned(), n + 1));
    let second = try_join!(
        checked("c".to_owned(), 1),
        checked("d".to_owned(), n),
        checked("e".to_owned(), 3),
    );
    let third = try_join!(checked("f".to_owned(), n + 1), async {
        tick().await;
        note("in the block");
        if n == 1 { Err("block".to_owned()) } else { Ok(act(n).await) }
    });
    format!("{first:?} {second:?} {third:?}")
}
