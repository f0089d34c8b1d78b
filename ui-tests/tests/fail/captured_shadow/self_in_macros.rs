#![allow(unused_macros)]

use piton::prelude::*;
use serde::{Deserialize, Serialize};

macro_rules! shout {
    ($text:literal) => {
        format!($text).to_uppercase()
    };
}

macro_rules! labeled {
    ($value:expr) => {
        format!("{}: {:?}", stringify!($value), $value)
    };
}

#[activity]
async fn step(text: &str) -> u64 {
    text.len() as u64
}

#[derive(Debug, Serialize, Deserialize)]
struct Meter {
    level: u64,
}

impl Meter {
    #[workflow]
    async fn read(self) -> u64 {
        let read = step(&shout!("{self:?}")).await;
        let labeled = labeled!(self.level);
        read + step(&labeled).await
    }
}

fn main() {}
