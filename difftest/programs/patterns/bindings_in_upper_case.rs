//! Where every value must match, a name is a binding whatever its case.

const LIMIT: i64 = 3;

#[workflow]
#[allow(non_snake_case)]
async fn program(N: i64) -> (i64, Vec<i64>) {
    let M = act(N).await;
    let (A, mut B) = (act(M).await, M + 1);
    B += act(A).await;
    let add = |X: i64| X + N;
    let mut all = Vec::new();
    for I in 0..LIMIT {
        let K_1 = add(I);
        all.push(act(K_1).await + K_1 + N);
        let M = I * 2;
        all.push(M);
    }
    let N = act(N + M).await;
    match act(1).await {
        LIMIT => all.push(0),
        other => all.push(act(other + N).await),
    }
    (N + B + add(A), all)
}
