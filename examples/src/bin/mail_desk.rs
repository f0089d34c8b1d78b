//! A mail desk: many runs ask for the same letters, each of which is sent once. One address is wrong at first. Its letter
//! fails, is listed with what went wrong, and is sent once the address book is right.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use piton::prelude::*;
use piton::worker::Queue;

/// Who lives where. The desk looks it up for each attempt.
#[derive(Default)]
struct AddressBook(Mutex<BTreeMap<String, String>>);

impl AddressBook {
    fn note(&self, who: &str, where_to: &str) {
        let mut book = self.0.lock().expect("nobody panics with the lock");
        book.insert(who.to_owned(), where_to.to_owned());
    }

    fn find(&self, who: &str) -> Option<String> {
        self.0.lock().expect("nobody panics with the lock").get(who).cloned()
    }
}

/// The key makes it one letter, however many runs ask for it.
#[activity(queue = "mail", key = "{to}:{subject}", retry(max_attempts = 1))]
async fn send_letter(cx: &ActivityContext, to: &str, subject: String) -> Result<String, String> {
    let found = cx.dependency::<Arc<AddressBook>>().find(to);
    let address = found.ok_or_else(|| format!("{to} has no address"))?;
    println!("{subject}, sent to {to}, {address}");
    Ok(format!("{subject} for {to}"))
}

/// One per order; the welcome is the same for all orders of a customer.
#[workflow]
async fn confirm(customer: String, order: u32) -> Result<String, ActivityError<String>> {
    send_letter(&customer, "Welcome".to_owned()).await?;
    let confirmed = send_letter(&customer, format!("Order {order}")).await?;
    Ok(confirmed)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let book = Arc::new(AddressBook::default());
    book.note("ada", "12 St James's Square");
    let client = Client::connect("sqlite::memory:").await?;
    let desk = Queue::new("mail").max_concurrent(1);
    let worker = Worker::new(&client).queue(desk).provide(book.clone()).start().await?;

    for order in 1..=2 {
        let run = client.start(confirm("ada".to_owned(), order)).await?;
        println!("confirmed: {}", run.result().await?);
    }
    // Nobody knows where Grace lives. Both of her runs fail, and there is one failed letter.
    for order in 3..=4 {
        let run = client.start(confirm("grace".to_owned(), order)).await?;
        println!("not confirmed: {}", run.result().await.is_err());
    }
    let mail = client.queue("mail");
    for letter in mail.failed(None, 100).await? {
        let key = letter.key.unwrap_or_default();
        println!("failed: {} {key}: {}", letter.activity, letter.failure);
    }

    book.note("grace", "3 Harbor Street");
    println!("the failed letters are sent again");
    mail.redrive_all().await?;
    // It finds the letter that is under way or was sent, and does not send another.
    let run = client.start(confirm("grace".to_owned(), 5)).await?;
    println!("confirmed: {}", run.result().await?);

    worker.shutdown().await?;
    client.close().await;
    Ok(())
}
