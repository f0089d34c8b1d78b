//! Awaits in known macros.

crate::harness::program! {
    async fn macros(cx: &Context, n: i64) -> (String, Vec<i64>, bool, String) {
        let text_ = format!("{} {x} {0:>4} {n}", step(n).await, x = step(2).await);
        let v = vec![seen(1), step(3).await, step(4).await];
        let w = vec![step(5).await; 2];
        assert!(step(1).await == 11, "arithmetic is broken: {n}");
        assert_eq!(step(1).await, 11);
        assert_ne!(v[0], step(1).await, "{}", n);
        let m = matches!(maybe(n).await, Some(x) if x > 100);
        let s = std::format!("{w:?}");
        (text_, v, m, s)
    }
    (1) (-1)
}
