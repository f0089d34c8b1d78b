//! The rows and steps of a fan-out.

use piton::prelude::*;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

#[activity(retry(max_attempts = 1))]
async fn square(number: u64) -> Result<u64, String> {
    if number % 1_000 == 999 { Err("too large".to_owned()) } else { Ok(number * number) }
}

#[workflow]
async fn squares(cx: &Context, count: u64) -> (u64, u64) {
    let squares = cx.map(0..count, square).concurrency(20).await;
    let failed = squares.iter().filter(|square| square.is_err()).count() as u64;
    (squares.into_iter().flatten().sum(), failed)
}

/// Triggers that count the writes to the rows of the run and of its arrivals.
const COUNT_WRITES: &str = "
    CREATE TABLE writes (kind TEXT PRIMARY KEY, count INTEGER NOT NULL);
    INSERT INTO writes VALUES ('arrival', 0), ('step', 0);
    CREATE TRIGGER count_arrivals AFTER INSERT ON piton_inbox
        BEGIN UPDATE writes SET count = count + 1 WHERE kind = 'arrival'; END;
    CREATE TRIGGER count_steps AFTER UPDATE OF step_no ON piton_runs
        WHEN NEW.step_no > OLD.step_no
        BEGIN UPDATE writes SET count = count + 1 WHERE kind = 'step'; END;
";

/// Runs a fan-out over this many items. Returns the numbers of written arrivals and steps.
async fn fan_out(count: u64) -> piton::Result<(i64, i64)> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await?;
    let mut observer = SqliteConnection::connect(&url).await?;
    sqlx::raw_sql(COUNT_WRITES).execute(&mut observer).await?;
    let worker = Worker::new(&client).start().await?;
    let run = client.start(squares(count)).await?;
    let (sum, failed) = run.result().await?;
    worker.shutdown().await?;
    let wanted = (0..count).filter(|number| number % 1_000 != 999).map(|number| number * number);
    assert_eq!((sum, failed), (wanted.sum(), count / 1_000));
    let counts: Vec<(i64,)> =
        sqlx::query_as("SELECT count FROM writes ORDER BY kind").fetch_all(&mut observer).await?;
    Ok((counts[0].0, counts[1].0))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_items_are_few_steps_and_a_row_each() -> piton::Result<()> {
    for count in [10, 1_000, 10_000] {
        let (arrivals, steps) = fan_out(count).await?;
        assert!(arrivals <= count as i64, "{arrivals} arrivals of {count} items");
        assert!(steps < 150, "{steps} steps for {count} items");
    }
    Ok(())
}
