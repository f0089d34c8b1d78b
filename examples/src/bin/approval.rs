//! Claims an expense, or decides about one. See `piton_examples::approval`.

use std::time::Duration;

use piton::client::Completed;
use piton::prelude::*;
use piton_examples::approval::{Approved, Refusal, expense};

const USAGE: &str =
    "usage: approval DATABASE claim NUMBER CENTS | approve TOKEN NAME | refuse TOKEN REASON";

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [database, command, first, second] = arguments[..] else { bail!("{USAGE}") };
    let client = Client::connect(&format!("sqlite:{database}")).await?;
    match command {
        "claim" => claim(&client, first.parse()?, second.parse()?).await,
        "approve" => {
            let promise = client.promise(&first.parse()?);
            tell(promise.resolve(&Approved { by: second.to_owned() }).await?)
        }
        "refuse" => {
            let promise = client.promise(&first.parse()?);
            tell(promise.reject(&Refusal::Refused(second.to_owned())).await?)
        }
        _ => bail!("{USAGE}"),
    }
}

/// Works for a moment, as a server does all the time.
async fn claim(client: &Client, number: u32, cents: u64) -> piton::Result<()> {
    let worker = Worker::new(client).start().await?;
    let start = client.start(expense(number, cents)).id(format!("expense-{number}"));
    let run = start.on_conflict(OnConflict::UseExisting).await?;
    match tokio::time::timeout(Duration::from_secs(2), run.result()).await {
        Ok(Ok(by)) => println!("paid, approved by {by}"),
        Ok(Err(error)) => println!("not paid: {error}"),
        Err(_) => println!("waits"),
    }
    worker.shutdown().await?;
    Ok(())
}

fn tell(completed: Completed) -> piton::Result<()> {
    match completed {
        Completed::First => println!("noted"),
        Completed::Already(_) => println!("somebody has decided before"),
    }
    Ok(())
}
