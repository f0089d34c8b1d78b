//! rustc warns of no variable that is read only behind what never returns, if the plain function reads it
//! on other ways.

fn die(n: i64) -> ! {
    panic!("died of {n}")
}

#[workflow]
async fn program(n: i64) -> i64 {
    let v;
    let w = act(n).await;
    match n {
        1 => v = 3,
        2 => {
            v = act(1).await;
        }
        3 => die(3),
        _ => loop {
            if act(n + w).await > 2 { return 3 } else { die(1) }
        },
    }
    let mut k = act(v).await;
    while k > 0 {
        k -= act(v).await;
        match act(k).await {
            7 => return w,
            8 => die(w),
            _ => unreachable!(),
        }
    }
    for item in [1, 2] {
        if act(v + item).await > 2 {
            return 3;
        }
        die(1);
    }
    v + k
}
