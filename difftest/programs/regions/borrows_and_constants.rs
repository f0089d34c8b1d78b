//! Borrows, literals and constants made before the branches and used in them.

const STEP: i64 = 3;

#[workflow]
async fn program(n: i64) -> String {
    let mut numbers = list(n).await;
    let label = "label";
    let step = STEP;
    let text = fetch("t").await;
    let short = &text;
    let sum = join!(
        async {
            let first = act(step).await;
            let mine = &mut numbers;
            mine.push(first);
            let second = act(first).await;
            mine.push(second);
            label.len()
        },
        async {
            let a = concat(short, label).await;
            let b = concat(&a, short).await;
            b + short
        },
        async move {
            tick().await;
            short.len() + concat(short, "m").await.len()
        },
    );
    format!("{sum:?} {numbers:?} {text} {}", total(&numbers).await)
}
