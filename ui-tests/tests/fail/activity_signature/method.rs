use piton::prelude::*;

struct Shop;

struct Shelf<T>(T);

impl Shop {
    #[activity]
    async fn change(&mut self) -> u64 {
        1
    }

    #[activity]
    async fn boxed(self: Box<Self>) -> Result<u64, String> {
        Ok(1)
    }

    #[activity]
    async fn not_serializable(&self) -> u64 {
        1
    }
}

impl<T> Shelf<T> {
    #[activity]
    async fn count() -> u64 {
        1
    }
}

trait Counts {
    #[activity]
    async fn count() -> u64;
}

#[activity]
async fn outside(self) {}

macro_rules! block {
    ($name:ident) => {
        impl Shop {
            #[activity]
            async fn $name() -> Self {
                Self
            }
        }
    };
}

block!(unseen);

#[workflow]
async fn caller() -> u64 {
    let mut shop = Shop;
    shop.change().await + Box::new(Shop).boxed().await.unwrap_or(1)
}

fn main() {}
