use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn grows(mut numbers: Vec<u64>) -> Vec<u64> {
    for number in numbers.iter_mut() {
        *number += step(*number).await;
        numbers.push(1);
    }
    numbers
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    lines: Vec<u64>,
    total: u64,
}

/// Another part may be used, and the whole where the loop ends.
#[workflow]
async fn parts(lines: Vec<u64>) -> u64 {
    let mut order = Order { lines, total: 0 };
    for line in &mut order.lines {
        order.total += *line;
        *line = step(*line).await;
        if *line == 7 {
            order.lines.clear();
            break;
        }
        order.total += order.lines.len() as u64;
    }
    order.total
}

fn main() {}
