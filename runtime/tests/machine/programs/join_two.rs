//! `join!` and `try_join!` over operations.

crate::harness::program! {
    async fn join_two(cx: &Context, n: i64) -> Result<(i64, String, i64), Broken> {
        let (a, b) = join!(step(n), text(n));
        let (c, d, e) = join!(step(1), flag(2), maybe(3));
        trace(format_args!("{c} {d} {e:?}"));
        let (f, g) = try_join!(checked(n), checked(2 - n))?;
        Ok((a, b, f + g))
    }
    (1) (3)
}
