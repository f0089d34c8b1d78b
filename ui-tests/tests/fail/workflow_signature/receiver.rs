use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Shop {
    pause: u64,
}

impl Shop {
    #[workflow]
    async fn run(&self, cx: &Context) -> Result<u64, String> {
        cx.sleep(seconds(self.pause)).await;
        Ok(self.pause)
    }

    #[workflow]
    async fn caller(self) -> Result<u64, String> {
        self.run().await
    }
}

#[workflow]
async fn outside(self) {}

fn main() {}
