//! Numbers of all kinds, ranges as patterns, casts and checked arithmetic around awaits.

#[workflow]
async fn program(n: i64) -> (u8, i128, f64, Option<i64>) {
    let small = u8::try_from(act(n).await.rem_euclid(200)).unwrap_or_default();
    let wide = i128::from(act(n).await) << 64;
    let mut ratio = act(3).await as f64 / 4.0;
    ratio *= add(n, 1).await as f64;
    let kind = match add(n, small as i64).await {
        i64::MIN..=-1 => "negative",
        0 => "zero",
        x @ (1..=9 | 20..30) => {
            note(act(x).await);
            "few"
        }
        10.. => {
            tick().await;
            "many"
        }
    };
    note(kind);
    let checked = act(n).await.checked_add(act(n + 1).await).and_then(|sum| sum.checked_mul(2));
    let steps = (0..=n.clamp(0, 6)).rev().step_by(2);
    let mut seen = Vec::new();
    for step in steps {
        seen.push(act(step).await.wrapping_mul(3) % 11);
    }
    let range = 1..seen.len();
    tick().await;
    for index in range.clone() {
        seen[index] ^= seen[index - 1] ^ act(index as i64).await;
    }
    note((range.len(), seen, small.leading_zeros()));
    (small, wide, ratio, checked)
}
