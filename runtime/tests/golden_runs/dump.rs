//! The rows of a database as SQL.

use libtest_mimic::Failed;
use sqlx::{AssertSqlSafe, PgPool, SqlitePool};

/// All tables except the workers, since those of the dump do not exist any more.
const TABLES: [&str; 9] = [
    "piton_schemas",
    "piton_definitions",
    "piton_runs",
    "piton_run_inputs",
    "piton_inbox",
    "piton_arrival_keys",
    "piton_activities",
    "piton_outbox",
    "piton_dead_letters",
];

/// A statement for each row, in a fixed order.
pub(crate) async fn dump(url: &str) -> Result<String, Failed> {
    let mut rows = String::new();
    for table in TABLES {
        let statements = match url.starts_with("sqlite") {
            true => sqlite(url, table).await?,
            false => postgres(url, table).await?,
        };
        statements.iter().for_each(|statement| rows.extend([statement, ";\n"]));
    }
    Ok(rows)
}

async fn sqlite(url: &str, table: &str) -> Result<Vec<String>, Failed> {
    let pool = SqlitePool::connect(url).await?;
    let columns = "SELECT name FROM pragma_table_info(?)";
    let columns: Vec<String> = sqlx::query_scalar(columns).bind(table).fetch_all(&pool).await?;
    let quoted: Vec<_> = columns.iter().map(|column| format!("quote({column})")).collect();
    statements(table, &columns, &quoted.join(" || ', ' || "), async |sql| {
        Ok(sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&pool).await?)
    })
    .await
}

async fn postgres(url: &str, table: &str) -> Result<Vec<String>, Failed> {
    let pool = PgPool::connect(url).await?;
    let columns = "SELECT column_name::text FROM information_schema.columns \
        WHERE table_name = $1 ORDER BY ordinal_position";
    let columns: Vec<String> = sqlx::query_scalar(columns).bind(table).fetch_all(&pool).await?;
    let quoted: Vec<_> =
        columns.iter().map(|column| format!("quote_nullable({column}::text)")).collect();
    statements(table, &columns, &quoted.join(" || ', ' || "), async |sql| {
        Ok(sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&pool).await?)
    })
    .await
}

async fn statements(
    table: &str,
    columns: &[String],
    quoted: &str,
    fetch: impl AsyncFn(String) -> Result<Vec<String>, Failed>,
) -> Result<Vec<String>, Failed> {
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let rows = fetch(format!("SELECT {quoted} FROM {table} ORDER BY 1")).await?;
    let columns = columns.join(", ");
    let statement = |row| format!("INSERT INTO {table} ({columns}) VALUES ({row})");
    Ok(rows.into_iter().map(statement).collect())
}

/// Adds the rows to an empty database.
pub(crate) async fn restore(url: &str, rows: &str) -> Result<(), Failed> {
    if url.starts_with("sqlite") {
        sqlx::raw_sql(AssertSqlSafe(rows.to_owned()))
            .execute(&SqlitePool::connect(url).await?)
            .await?;
    } else {
        sqlx::raw_sql(AssertSqlSafe(rows.to_owned())).execute(&PgPool::connect(url).await?).await?;
    }
    Ok(())
}
