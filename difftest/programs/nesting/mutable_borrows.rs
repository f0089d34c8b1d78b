//! Borrows that are made again, of fields and of borrows, changed between awaits in nested loops.

#[derive(Debug, Default, Serialize, Deserialize)]
struct Totals {
    sums: [i64; 2],
    names: Vec<String>,
    inner: Option<Box<Totals>>,
}

#[workflow]
async fn program(n: i64) -> String {
    let mut totals = Totals { inner: Some(Box::default()), ..Totals::default() };
    let sums = &mut totals.sums;
    let names = &mut totals.names;
    for i in 0..2 {
        sums[i] += act(i as i64).await;
        names.push(fetch("name").await);
        let last = &mut sums[0];
        *last += act(*last).await;
        if *last > n {
            let both = &*names;
            tick().await;
            note(both.len());
        }
    }
    sums[1] -= n;
    if let Some(inner) = &mut totals.inner {
        inner.sums[0] = 5;
        inner.names.push("inner".to_owned());
    }
    for name in &mut totals.names {
        name.push_str(&concat("x", name).await);
        for sum in totals.sums.iter_mut() {
            *sum += act(1).await;
            name.push('.');
        }
    }
    format!("{totals:?}")
}
