//! The killed program of the books: `piton-bookkeeper URL FOLDER` drives its runs to their end, then writes their
//! results to `FOLDER/results.txt`, one line of JSON per run.

use std::path::PathBuf;

use piton::prelude::*;
use piton_crash_tests::books::{RUNS, keep};
use piton_crash_tests::ledger::Ledger;

#[tokio::main]
async fn main() -> piton::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, folder] = arguments.as_slice() else {
        bail!("usage: piton-bookkeeper URL FOLDER");
    };
    let folder = PathBuf::from(folder);
    let client = Client::connect(url).await?;
    let worker = Worker::new(&client).provide(Ledger::open(&folder)?).start().await?;
    println!("ready");

    let on_postgres = url.starts_with("postgres");
    let mut runs = Vec::new();
    for number in 0..RUNS {
        let id = format!("books-{number}");
        let run = match client.run::<keep>(id.as_str()).await {
            Ok(run) => run,
            Err(_) => client.start(keep(on_postgres, i64::try_from(number)?)).id(id).await?,
        };
        runs.push(run);
    }
    let mut results = String::new();
    for run in runs {
        results.push_str(&serde_json::to_string(&run.result().await?)?);
        results.push('\n');
    }
    worker.shutdown().await?;
    std::fs::write(folder.join("results.txt"), results)?;
    Ok(())
}
