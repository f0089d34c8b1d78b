//! Blocks and loops with labels, whose values jump in turn.
#[workflow]
async fn program(n: i64) -> Result<i64, String> {
    let mut total = 0;
    let v = 'a: {
        let w = 'b: {
            if flag(n).await {
                break 'a act(n).await;
            }
            if n > 4 {
                break 'b 3;
            }
            total += match find(n).await {
                Some(s) if s.len() > 6 => break 'b s.len() as i64,
                Some(_) => 1,
                None => return Err(fetch("none").await),
            };
            total
        };
        w + act(w).await
    };
    let x = loop {
        let k = 'k: loop {
            for i in 0.. {
                if i > v {
                    break 'k i;
                }
                if act(i).await % 7 == 0 {
                    continue 'k;
                }
                total += i;
                if total > 30 {
                    break 'k -1;
                }
            }
        };
        if k < 0 {
            break if n > 1 { k } else { return Ok(total) };
        }
        total += act(k).await;
        if total > 40 {
            break k;
        }
    };
    while {
        let t = act(total).await;
        t > 10 && total < 60
    } {
        total += 9;
        if total == 49 {
            continue;
        }
        tick().await;
    }
    let y: i64 = match act(n).await {
        1 => {
            return Ok({
                tick().await;
                5
            });
        }
        k if k > 50 => {
            tick().await;
            return Err(format!("{k}"));
        }
        _ => x,
    };
    let _unit = if y > 3 { tick().await } else { return Ok(y) };
    (|| Ok::<_, std::num::ParseIntError>("5".parse::<i64>()? + y))().map_err(|e| e.to_string())
}
