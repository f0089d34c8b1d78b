//! A variable without a value where a function is called that does not return.

fn die(n: i64) -> ! {
    panic!("died of {n}")
}

#[workflow]
async fn program(n: i64) -> i64 {
    let number;
    let text: String;
    if flag(n).await {
        number = act(n).await;
        text = fetch("a").await;
    } else if n > 1 {
        die(n)
    } else {
        number = 2;
        text = String::new();
    }
    tick().await;
    let last;
    loop {
        let step;
        match act(number + n).await % 3 {
            0 => step = 1,
            1 => step = act(1).await,
            _ if n < 0 => die(n),
            _ => break,
        }
        if act(step).await > 2 {
            break;
        }
    }
    if n != 100 {
        last = act(3).await;
    } else {
        die(4)
    }
    number + last + text.len() as i64
}
