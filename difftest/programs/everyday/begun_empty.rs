//! Variables that begin empty and are given their values in a loop.

use std::collections::VecDeque;
#[workflow]
async fn program(cx: &Context, n: i64) -> (Vec<String>, Option<i64>) {
    let mut out = Vec::new();
    let (mut prev, mut streak) = (None, 0);
    let mut buffer = VecDeque::new();
    let mut window = Default::default();
    for round in 0..n % 6 {
        let value = act(round + n).await;
        streak = if prev == Some(value % 2) { streak + 1 } else { 0 };
        prev = Some(value % 2);
        window = if streak > 1 {
            tick().await;
            vec![value; 2]
        } else {
            list(value).await
        };
        buffer.extend(window);
        if buffer.len() > 6 {
            buffer = buffer.split_off(3);
            out.push(fetch(&buffer.len().to_string()).await);
        }
        let mut label = String::new();
        if round % 2 == 0 {
            label = concat("even", &streak.to_string()).await;
            out.push(label);
        } else {
            cx.sleep(seconds(1)).await;
            label.push('o');
            out.push(label)
        }
        window = Vec::new();
        let _ = &window;
    }
    let mut result;
    let mut error = None;
    loop {
        result = try_find(streak + n).await;
        match result {
            Ok(found) => {
                if let Some(e) = error {
                    note(format!("{e:?}"));
                }
                break (out, found.or(prev));
            }
            Err(e) if error.is_none() => {
                error = Some(e);
                tick().await;
                streak += 1
            }
            Err(ActivityError::Failed(Refused { code })) => {
                out.push(code.to_string());
                break (out, buffer.pop_front());
            }
            Err(_) => break (vec![], None),
        }
    }
}
