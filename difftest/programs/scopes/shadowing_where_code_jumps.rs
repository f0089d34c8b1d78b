//! A jump out of code without awaits takes the local along, not what shadows it there.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut total = n;
    for i in 0..4_i64 {
        if i == 1 {
            let n = 100 * i;
            let i = n + 1;
            note(format!("skipped {i}"));
            continue;
        }
        total += act(i + n).await;
        match Some(total) {
            Some(total) if total > 1_000_000 => {
                let n = total;
                note(format!("far {n}"));
                break;
            }
            _ => {}
        }
        let found = 'found: {
            for total in 0..3_i64 {
                if total + i == 4 {
                    break 'found total;
                }
            }
            act(total).await
        };
        total += found + n;
    }
    total + act(n).await
}
