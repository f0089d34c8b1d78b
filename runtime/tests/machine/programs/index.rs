//! Awaits in indices; an index before an await is evaluated before it.

crate::harness::program! {
    async fn index(cx: &Context, n: i64) -> (i64, i64) {
        let v = vec![10, 20, 30, 40];
        let i = v[step(0).await as usize];
        let mut grid = vec![vec![1, 2], vec![3, 4]];
        grid[seen(1)][seen(0)] = step(n).await;
        grid[seen(0)].push(step(5).await);
        (i + v[flag(n).await as usize], grid.iter().flatten().sum())
    }
    (1) (2)
}
