//! An operand that awaits begins where it does in the source.

use piton::prelude::*;

#[activity(start_to_close = "1s")]
async fn find(id: String) -> Option<String> {
    Some(id)
}

#[workflow]
async fn name(id: String) -> String {
    String::from("name: ")
        + find(id)
            .await
            .unwrap_or_default()
}

fn main() {}
