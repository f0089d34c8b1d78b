use std::time::SystemTime;

use piton::prelude::*;

#[deterministic]
fn is_late(deadline: SystemTime) -> bool {
    SystemTime::now() > deadline
}

fn main() {
    is_late(SystemTime::UNIX_EPOCH);
}
