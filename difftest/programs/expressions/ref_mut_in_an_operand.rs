//! What a pattern binds by `ref mut` is changed, after the operands before it have been evaluated.

#[workflow]
async fn program(n: i64) -> (i64, i64, i64, i64, bool) {
    let mut x = n;
    let a = x + { let ref mut r = x; *r = 66; act(1).await };
    let mut p = (n, 5);
    let b = p.0 * 10 + match p { (ref mut first, _) => { *first = 90; act(2).await } };
    let mut opt = Some(n);
    let c = opt.unwrap_or({ if let Some(ref mut value) = opt { *value = -8; } act(3).await });
    let d = opt.map_or(0, |value| value) - { let Some(ref mut value) = opt else { return (0, 0, 0, 0, false) }; *value = 80; act(4).await };
    let mut list = [n, 2, 3];
    let is = list[0] < { let [ref mut first, .., ref last] = list; *first = *last + 70; act(5).await };
    (a + x, b + p.0, c, d, is)
}
