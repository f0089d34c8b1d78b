//! `loop` with values, `while`, `while let`, nested labels.

#[workflow]
async fn program(cx: &Context, n: i64) -> (i64, Vec<i64>) {
    let mut out = Vec::new();
    let mut i = 0;
    let found = loop {
        i += 1;
        let x = act(i).await;
        if x > n * 3 {
            break x;
        }
        if i % 2 == 0 {
            continue;
        }
        out.push(x);
    };
    while i > 0 {
        i -= 1;
        out.push(act(i).await);
    }
    let mut stack = list(n).await;
    while let Some(x) = stack.pop() {
        if flag(x).await {
            out.push(x);
        }
    }
    (found, out)
}
