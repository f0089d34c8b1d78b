use piton::prelude::*;

#[activity]
async fn measure() -> f64 {
    1.5
}

#[workflow]
async fn watch(low: f64, high: f64) -> bool {
    let mut limits = low..=high;
    if measure().await > high {
        limits = low..=high * 2.0;
    }
    limits.contains(&measure().await)
}

fn main() {}
