//! Copies of every primitive kind across awaits.

#[workflow]
async fn program(n: i64) -> String {
    let (a, b, c) = (n as u8, 'x', 1.5_f32);
    let (d, e, f) = (true, u128::MAX, ());
    let g = [1_i16, -2];
    tick().await;
    let h = (i32::MIN, Duration::from_millis(5));
    let i = Some(false);
    tick().await;
    format!("{a} {b} {c} {d} {e} {f:?} {g:?} {h:?} {}", i == Some(n > 1))
}
