use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Shop;

macro_rules! methods {
    ($name:ident) => {
        impl Shop {
            #[workflow]
            async fn $name(self) -> Self {
                self
            }
        }
    };
}

methods!(run);

fn main() {}
