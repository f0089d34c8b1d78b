//! Three nested loops that share mutable state.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut count = 0;
    for a in 0..2 {
        let mut b = a;
        while b < 3 {
            for c in list(b + n).await {
                count += c;
                if count % 7 == 0 {
                    count += act(c).await;
                    break;
                }
            }
            b += 1;
        }
        note((a, b));
    }
    count
}
