//! `join!` and `try_join!` over operations.

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<(i64, String, i64), Error> {
    let (a, b) = join!(act(n), text(n));
    let (c, d, e) = join!(act(1), flag(2), maybe(3));
    note(format_args!("{c} {d} {e:?}"));
    let (f, g) = try_join!(try_act(n), try_act(2 - n))?;
    Ok((a, b, f + g))
}
