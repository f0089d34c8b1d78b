//! A parameter of a closure may be left out.

#[workflow]
async fn program(n: i64) -> i64 {
    let add = |x: i64, #[cfg(any())] y: i64, #[cfg(all())] z: i64| x + z;
    let list = [1, 2].map(|#[cfg(all())] x, #[cfg(any())] y| x + n);
    act(add(n, 2)).await + list[1]
}
