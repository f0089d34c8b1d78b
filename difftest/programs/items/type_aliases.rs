//! Type aliases and enums inside of the body.

#[workflow]
async fn program(n: i64) -> Vec<(i64, String)> {
    type Pairs = Vec<(i64, String)>;
    #[derive(Serialize, Deserialize, PartialEq)]
    enum Phase {
        First,
        Second { left: i64 },
    }
    let mut pairs = Pairs::new();
    let mut phase = Phase::First;
    while phase != (Phase::Second { left: 0 }) {
        phase = match phase {
            Phase::First => Phase::Second { left: n.min(3) },
            Phase::Second { left } => {
                pairs.push(pair(left).await);
                Phase::Second { left: left - 1 }
            }
        };
        tick().await;
    }
    pairs
}
