//! Wildcards in patterns that take parts of a local around awaits.

#[derive(Serialize, Deserialize)]
struct Pair(String, Vec<i64>);
#[workflow]
async fn program(n: i64) -> String {
    let pair = Pair(fetch("a").await, list(n).await);
    let Pair(a, _) = pair;
    tick().await;
    let Pair(_, b) = pair;
    let sum = total(&b).await;
    let three = (fetch("x").await, (fetch("y").await, 3), fetch("z").await);
    let (x, _, _) = three;
    let (_, (y, k), _) = three;
    tick().await;
    let (_, _, mut z) = three;
    z.push('!');
    tick().await;
    format!("{a}{sum}{x}{y}{z}{k}")
}
