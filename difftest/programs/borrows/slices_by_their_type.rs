//! Typed slices of what a `let` makes.

#[workflow]
async fn program(n: i64) -> (i64, String, Vec<i64>) {
    let rows: &[i64] = &[1, n, act(5).await];
    let mut sum = 0;
    for row in rows { sum += act(*row).await; }
    let bytes: &[u8] = &[1, 2, n as u8];
    sum += act(bytes.len() as i64).await + bytes.iter().map(|b| *b as i64).sum::<i64>();
    let name = fetch("x").await;
    let names: &[String] = &[name.clone(), "b".into()];
    sum += act(names.len() as i64).await;
    let all = names.join("-");
    let own: &mut [i64] = &mut [n, 2, 3];
    own[0] += act(1).await;
    own[1] += act(2).await;
    let list = own.to_vec();
    let opts: &[Option<u8>] = &[None, Some(n as u8), "3".parse().ok()];
    act(1).await;
    sum += opts.iter().flatten().map(|x| *x as i64).sum::<i64>();
    (sum, all, list)
}
