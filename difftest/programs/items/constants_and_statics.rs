//! Constants and read-only statics inside and outside of the body.

static GREETING: &str = "hello";
const FACTORS: [i64; 3] = [2, 3, 5];

#[workflow]
async fn program(n: i64) -> String {
    const OFFSET: i64 = FACTORS[1] * 10;
    static SUFFIX: &str = "!";
    let index = act(n).await as usize % FACTORS.len();
    let x = act(FACTORS[index] + OFFSET).await;
    format!("{GREETING}{SUFFIX}{}", x + OFFSET)
}
