//! Items of literal lists whose numbers are of a type that only one part of the body tells: before an await, or
//! behind it. What the other part does with them depends on it.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, Vec<i64>) {
    let (mut whole, mut parts) = (vec![], vec![]);
    for (name, level) in [("low", 200), ("high", 100)] {
        let small: u8 = level;
        whole.push(act(small.into()).await);
        whole.push((level << 4) as i64 + name.len() as i64);
    }
    for (name, level) in [("low", 200), ("high", 100)] {
        whole.push((level << 4) as i64);
        tick().await;
        let small: u8 = level;
        whole.push(i64::from(small) + lookup(name).await.unwrap_or(n));
    }
    for (at, level) in [200, 100].into_iter().enumerate() {
        let small: u8 = level;
        whole.push(act(small.into()).await);
        whole.push((level << 4) as i64 + at as i64);
    }
    for &level in &[200, 100] {
        let small: u8 = level;
        whole.push(act(small.into()).await);
        whole.push((level << 4) as i64);
    }
    for (at, level) in [200, 100].iter().enumerate() {
        let small: &u8 = level;
        whole.push(act(i64::from(*small)).await);
        whole.push((level << 4) as i64 + at as i64);
    }
    for (name, rate) in [("full", 2.5), ("reduced", 1.25)] {
        let single: f32 = rate;
        parts.push(act(single as i64).await);
        parts.push((rate / 3.0 * 1e9) as i64 + name.len() as i64);
    }
    if let Some(level) = &Some(200) {
        let small: &u8 = level;
        whole.push(act(i64::from(*small)).await);
        whole.push((*level << 4) as i64);
    }
    let Some(level) = &Some(100) else { return (whole, parts) };
    let small: &u8 = level;
    whole.push(act(i64::from(*small)).await);
    whole.push((*level << 4) as i64);
    (whole, parts)
}
