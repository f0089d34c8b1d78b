//! Awaits in operators, casts, ranges, indices and assignments of one another.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut list = vec![act(1).await, -act(2).await, !act(3).await as u8 as i64];
    let mut grid = [[0_i64; 3]; 2];
    grid[(act(n).await % 2) as usize][note(list.len() - 1)] += list[act(0).await as usize % 3] << (act(1).await & 3);
    list[note(0)] = {
        let i = act(4).await as usize;
        (grid[i % 2][2] ^ note(7)) | (act(5).await & 0xf)
    };
    let range = note(1)..=act(2).await;
    let sum: i64 = (*range.start()..*range.end() + act(1).await % 3).sum();
    let (a, mut b);
    (a, b) = (act(n).await, note(n));
    b -= if a > b && act(a).await > 3 || b == act(b).await { act(1).await } else { -(act(2).await as i32 as i64) };
    [list[1], grid[0][0]] = [b, a];
    let flags = [n > 1, act(n).await > n, a <= act(1).await, b != act(2).await];
    let all = flags[0] & (flags[1] | flag(n).await) ^ flags[2];
    let tuple = (list.len() as i64 * act(3).await, &list[..act(2).await as usize % 3]);
    let total = tuple.0 + tuple.1.len() as i64;
    (total + sum) * if all { 1 } else { 2 } - grid[1].iter().sum::<i64>() + list.iter().sum::<i64>()
}
