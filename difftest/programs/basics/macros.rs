//! Awaits in known macros.

#[workflow]
async fn program(cx: &Context, n: i64) -> (String, Vec<i64>, bool, String) {
    let n = n - 1;
    let text_ = format!("{} {x} {0:>4} {n}", act(n).await, x = act(2).await);
    let v = vec![note(1), act(3).await, act(4).await];
    let w = vec![act(5).await; 2];
    assert!(act(1).await == 4, "arithmetic is broken: {n}");
    assert_eq!(act(1).await, 4);
    assert_ne!(v[0], act(1).await, "{}", n);
    let m = matches!(maybe(n).await, Some(x) if x > 100);
    let s = std::format!("{w:?}");
    (text_, v, m, s)
}
