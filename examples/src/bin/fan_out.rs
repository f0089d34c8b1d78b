//! See [`piton_examples::fan_out`].

use clap::Parser;
use piton_examples::fan_out;

/// Sends a mailing to many subscribers.
#[derive(Debug, Parser)]
struct Options {
    /// How many subscribers there are.
    #[arg(long, default_value_t = 10_000)]
    letters: u32,
    /// The database.
    #[arg(long, default_value = "sqlite:fan-out.db")]
    database: String,
}

#[tokio::main]
async fn main() -> piton::Result<()> {
    let Options { letters, database } = Options::parse();
    println!("{:?}", fan_out::run(&database, letters).await?);
    Ok(())
}
