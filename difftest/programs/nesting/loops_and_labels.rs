//! Loops as values in arguments of calls in conditions of loops; labels of blocks around them.

fn add(a: i64, b: i64) -> i64 {
    note(a) + note(b)
}

/// A key that is found, or not, depending on `n`.
fn some(n: i64) -> String {
    "x".repeat(n.rem_euclid(5) as usize)
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut count = 0;
    let out = 'out: {
        while add(
            loop {
                count += 1;
                if act(count).await > 3 {
                    break count;
                }
                if count > 20 {
                    break 'out -1;
                }
            },
            'inner: {
                for i in 0..n {
                    if i == 2 {
                        break 'inner act(i).await;
                    }
                    if i > count {
                        continue;
                    }
                    tick().await;
                }
                n
            },
        ) < 9
        {
            if count > 12 {
                break 'out act(count).await;
            }
        }
        let value = 'retry: loop {
            let attempt = 'attempt: {
                if let Some(x) = lookup(&some(count)).await && x > 2 {
                    break 'attempt Ok(x);
                } else if count > 8 {
                    break 'retry 99;
                }
                Err(count)
            };
            match attempt {
                Ok(x) => break x,
                Err(e) if e > 6 => break 'retry e,
                Err(_) => count += 1,
            }
        };
        value + add(act(1).await, 2)
    };
    out + count
}
