//! A namespace is a schema, which is first in the search path of each session of a store.

use std::str::FromStr as _;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::open::unreachable;
use crate::error::ConnectError;
use crate::store::connect::without_password;

const EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)";

const CURRENT: &str = "SELECT coalesce(current_schema(), '')";

/// Schemas with the tables of a store, except the one that is used without a namespace.
const ALL: &str = "SELECT nspname::text FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid \
    WHERE relname = 'piton_migrations' AND relkind = 'r' AND nspname IS DISTINCT FROM current_schema() \
    ORDER BY nspname COLLATE \"C\"";

const NO_SEARCH_PATH: &str =
    "what stands before the server keeps the search path back, so no namespace can be used";

/// With these options, a session finds only the tables of the namespace.
pub(super) fn within(connect: PgConnectOptions, namespace: &str) -> PgConnectOptions {
    connect.options([("search_path", format!("\"{namespace}\""))])
}

/// Creates the schema if it is missing, and checks that the session uses it.
pub(super) async fn enter(
    connection: &mut PgConnection,
    namespace: &str,
    target: &str,
) -> Result<(), ConnectError> {
    let failed = |error| unreachable(target, error);
    if !exists(connection, namespace).await.map_err(failed)? {
        // The name contains no quotation mark.
        let create = format!("CREATE SCHEMA IF NOT EXISTS \"{namespace}\"");
        let created = sqlx::raw_sql(sqlx::AssertSqlSafe(create)).execute(&mut *connection).await;
        // If two sessions create it at the same time, one fails.
        if let Err(error) = created
            && !exists(connection, namespace).await.map_err(failed)?
        {
            return Err(unreachable(target, error));
        }
    }
    let current: String =
        sqlx::query_scalar(CURRENT).fetch_one(connection).await.map_err(failed)?;
    if current != namespace {
        let reason = NO_SEARCH_PATH.to_owned();
        let target = target.to_owned();
        return Err(ConnectError::Unreachable { target, reason, source: None });
    }
    Ok(())
}

async fn exists(connection: &mut PgConnection, namespace: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(EXISTS).bind(namespace).fetch_one(connection).await
}

pub(in crate::store) async fn namespaces(url: &str) -> Result<Vec<String>, ConnectError> {
    let target = without_password(url);
    let failed = |error| unreachable(&target, error);
    let connect = PgConnectOptions::from_str(url)
        .map_err(|error| ConnectError::Url { url: target.clone(), reason: error.to_string() })?
        .application_name("piton")
        .disable_statement_logging();
    let mut connection = connect.connect().await.map_err(failed)?;
    let found = sqlx::query_scalar(ALL).fetch_all(&mut connection).await.map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}
