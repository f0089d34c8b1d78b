//! The cart, as a program of its own and on virtual time.

#![allow(missing_docs, clippy::unwrap_used)]

use std::process::Command;

use piton::prelude::*;
use piton::store::MemoryStore;
use piton_examples::cart::{AddItem, Cart, Refused, has_room, shop, summary};

#[test]
fn the_program_says_what_its_documentation_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_cart")).output().unwrap();
    let expected = "rope: 42.00 EUR in the cart\n\
                    chalk: 48.50 EUR in the cart\n\
                    refused: `anvil` is too heavy\n\
                    2 items, 48.50 EUR\n\
                    receipt 4850\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_cart_is_full_at_twenty() {
    let client = Client::new(MemoryStore::new());
    let worker = Worker::new(&client).start().await.unwrap();
    let cart = client.start(shop("ada".to_owned())).await.unwrap();
    let nut = || AddItem { sku: "nut".to_owned(), cents: 5 };
    for number in 1..=20 {
        assert_eq!(cart.update(nut()).await.unwrap(), number * 5);
    }
    let full = cart.update(nut()).await.unwrap_err();
    assert!(matches!(full, UpdateError::Refused(Refused::Full)), "{full:?}");
    assert_eq!(cart.query(summary::args("EUR")).await.unwrap(), "20 items, 1.00 EUR");
    assert_eq!(has_room(&nut(), &Cart::default()), Ok(()));
    worker.shutdown().await.unwrap();
}
