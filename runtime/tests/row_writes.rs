//! One row update per step, counted by the database itself.

use piton::prelude::*;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

#[activity]
async fn add(sum: u64, number: u64) -> u64 {
    sum + number
}

#[workflow]
async fn ten_steps() -> u64 {
    let mut sum = 0;
    for number in 0..10 {
        sum = add(sum, number).await;
    }
    sum
}

/// Triggers that count every write to the table of runs.
const COUNT_WRITES: &str = "
    CREATE TABLE writes (kind TEXT PRIMARY KEY, count INTEGER NOT NULL);
    INSERT INTO writes VALUES ('insert', 0), ('update', 0), ('delete', 0);
    CREATE TRIGGER count_insert AFTER INSERT ON piton_runs
        BEGIN UPDATE writes SET count = count + 1 WHERE kind = 'insert'; END;
    CREATE TRIGGER count_update AFTER UPDATE ON piton_runs
        BEGIN UPDATE writes SET count = count + 1 WHERE kind = 'update'; END;
    CREATE TRIGGER count_delete AFTER DELETE ON piton_runs
        BEGIN UPDATE writes SET count = count + 1 WHERE kind = 'delete'; END;
";

#[tokio::test]
async fn a_run_of_ten_activities_is_one_insert_and_ten_updates() -> piton::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("runs.db");
    let client = Client::connect(&format!("sqlite:{}", file.display())).await?;
    let mut observer = SqliteConnection::connect(&format!("sqlite:{}", file.display())).await?;
    sqlx::raw_sql(COUNT_WRITES).execute(&mut observer).await?;

    let worker = Worker::new(&client).start().await?;
    let run = client.start(ten_steps()).await?;
    assert_eq!(run.result().await?, 45);
    worker.shutdown().await?;

    let counts: Vec<(String, i64)> = sqlx::query_as("SELECT kind, count FROM writes ORDER BY kind")
        .fetch_all(&mut observer)
        .await?;
    let expected = [("delete", 0), ("insert", 1), ("update", 10)];
    assert_eq!(counts, expected.map(|(kind, count)| (kind.to_owned(), count)));
    Ok(())
}
