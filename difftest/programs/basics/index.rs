//! Awaits in indices; an index before an await is evaluated before it.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, i64) {
    let v = vec![10, 20, 30, 40];
    let i = v[act(0).await as usize];
    let mut grid = vec![vec![1, 2], vec![3, 4]];
    grid[note(1)][note(0)] = act(n).await;
    grid[note(0)].push(act(5).await);
    (i + v[flag(n).await as usize], grid.iter().flatten().sum())
}
