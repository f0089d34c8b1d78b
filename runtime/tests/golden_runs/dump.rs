//! The rows of a database as SQL.

use libtest_mimic::Failed;
use sqlx::{AssertSqlSafe, PgPool, SqlitePool};

/// The workers of the dump are gone, and a new database has its own migrations.
pub(crate) const LEFT_OUT: [&str; 3] = ["piton_workers", "piton_attendance", "piton_migrations"];

/// A statement for each row, in an order that does not depend on chance: first what rows of other tables name.
pub(crate) async fn dump(url: &str) -> Result<String, Failed> {
    let mut rows = String::new();
    let mut tables = tables(url).await?;
    tables.retain(|table| !LEFT_OUT.contains(&&**table));
    let is_named = |table: &String| ["piton_runs", "piton_schedules"].contains(&&**table);
    tables.sort_by_key(|table| (!is_named(table), table.clone()));
    for table in tables {
        let statements = match url.starts_with("sqlite") {
            true => sqlite(url, &table).await?,
            false => postgres(url, &table).await?,
        };
        statements.iter().for_each(|statement| rows.extend([statement, ";\n"]));
    }
    Ok(rows)
}

/// All tables of piton.
async fn tables(url: &str) -> Result<Vec<String>, Failed> {
    let names = match url.starts_with("sqlite") {
        true => "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'piton%'",
        false => {
            "SELECT table_name::text FROM information_schema.tables \
             WHERE table_type = 'BASE TABLE' AND table_name LIKE 'piton%'"
        }
    };
    texts(url, names.to_owned()).await
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
    let mut statements = statements(table, &columns, &quoted.join(" || ', ' || "), async |sql| {
        Ok(sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&pool).await?)
    })
    .await?;
    // The next number that the database itself gives comes behind those of the rows.
    let numbered = "SELECT column_name::text FROM information_schema.columns \
        WHERE table_name = $1 AND is_identity = 'YES'";
    let numbered: Option<String> =
        sqlx::query_scalar(numbered).bind(table).fetch_optional(&pool).await?;
    if let Some(column) = numbered.filter(|_| !statements.is_empty()) {
        let sequence = format!("pg_get_serial_sequence('{table}', '{column}')");
        statements.push(format!("SELECT setval({sequence}, (SELECT max({column}) FROM {table}))"));
    }
    Ok(statements)
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

/// The columns of which no row has a value, each behind its table.
pub(crate) async fn empty_columns(url: &str) -> Result<Vec<String>, Failed> {
    let mut empty = Vec::new();
    for table in tables(url).await? {
        let columns = match url.starts_with("sqlite") {
            true => format!("SELECT name FROM pragma_table_info('{table}')"),
            false => format!(
                "SELECT column_name::text FROM information_schema.columns \
                 WHERE table_name = '{table}'"
            ),
        };
        for column in texts(url, columns).await? {
            let first = format!(
                "SELECT CAST({column} IS NULL AS TEXT) FROM {table} \
                 WHERE {column} IS NOT NULL LIMIT 1"
            );
            if texts(url, first).await?.is_empty() {
                empty.push(format!("{table}.{column}"));
            }
        }
    }
    empty.sort();
    Ok(empty)
}

/// A query for one text in each row.
async fn texts(url: &str, query: String) -> Result<Vec<String>, Failed> {
    let query = AssertSqlSafe(query);
    Ok(match url.starts_with("sqlite") {
        true => sqlx::query_scalar(query).fetch_all(&SqlitePool::connect(url).await?).await?,
        false => sqlx::query_scalar(query).fetch_all(&PgPool::connect(url).await?).await?,
    })
}

/// Executes statements, such as those of a dump.
pub(crate) async fn execute(url: &str, statements: &str) -> Result<(), Failed> {
    if url.starts_with("sqlite") {
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))
            .execute(&SqlitePool::connect(url).await?)
            .await?;
    } else {
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned()))
            .execute(&PgPool::connect(url).await?)
            .await?;
    }
    Ok(())
}
