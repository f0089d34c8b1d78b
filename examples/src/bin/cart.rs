//! See [`piton_examples::cart`].

use piton::prelude::*;
use piton_examples::cart::{AddItem, CheckOut, amount, shop, summary};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect("sqlite::memory:").await?;
    let worker = Worker::new(&client).start().await?;
    let cart = client.start(shop("ada".to_owned())).id("cart-ada").await?;
    for (sku, cents) in [("rope", 4_200), ("chalk", 650), ("anvil", 9_900)] {
        let add = AddItem { sku: sku.to_owned(), cents };
        // With the name as its id, an item is added once, however often it is sent.
        match cart.update(add).id(sku).await {
            Ok(sum) => println!("{sku}: {} EUR in the cart", amount(sum)),
            Err(UpdateError::Refused(why)) => println!("refused: {why}"),
            Err(error) => return Err(error.into()),
        }
    }
    println!("{}", cart.query(summary::args("EUR")).await?);
    println!("receipt {}", cart.update(CheckOut {}).await?);
    worker.shutdown().await?;
    client.close().await;
    Ok(())
}
