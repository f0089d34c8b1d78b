//! Opening a store by its URL.

#[cfg(feature = "sqlite")]
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Clock, Store, namespace};
use crate::error::ConnectError;

/// Options for opening a store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub(super) clock: Clock,
    pub(super) namespace: Option<String>,
    /// Connections that only read, in addition to the writing one (SQLite).
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "only SQLite has readers"))]
    pub(super) readers: u32,
    /// Connections, without the separate one for notifications and locks (Postgres).
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "SQLite has its own number"))]
    pub(super) connections: u32,
    /// How long a server may take to respond (Postgres).
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "SQLite always answers"))]
    pub(super) answer_timeout: Duration,
}

impl Default for StoreOptions {
    /// The database's own clock, no namespace, three readers (SQLite), ten connections, and 30 s for a response
    /// (Postgres).
    fn default() -> Self {
        let answer_timeout = Duration::from_secs(30);
        let clock = Clock::Database;
        Self { clock, namespace: None, readers: 3, connections: 10, answer_timeout }
    }
}

impl StoreOptions {
    /// Uses `clock` for leases and due times. Default: the database's clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Opens a namespace of the database: a separate store with its own runs, workflow ids, queues, schedules, workers
    /// and retention. Nothing in one namespace can be seen or reached from another. Default: no namespace, which is a
    /// separate store.
    ///
    /// On Postgres, a namespace is the schema of that name, which is created if it is missing and the user has the
    /// right to. On SQLite, it is a file beside the database: `orders@billing.db` for the namespace `billing` of
    /// `orders.db`. Each database in memory is a separate store, so the name has no effect there.
    ///
    /// A name has 1 to 48 bytes of ASCII letters, digits, `_` and `-`, and does not start with `pg_`. It is
    /// case-sensitive.
    #[must_use]
    pub fn namespace(mut self, name: impl Into<String>) -> Self {
        self.namespace = Some(name.into());
        self
    }

    /// Sets the maximum number of connections to a Postgres server; one more is used for notifications and locks.
    /// One of them is reserved for leases; a third, at least two, for claims and commits; and a quarter, at least
    /// one, for starts, signals and queries of results. The minimum is therefore 5. Default: 10.
    #[must_use]
    pub fn connections(mut self, connections: u32) -> Self {
        self.connections = connections;
        self
    }

    /// Sets how long a Postgres server may take to respond. After that, the call fails with a retryable error and
    /// uses another connection next time; its write may have taken effect. Default: 30 s.
    #[must_use]
    pub fn answer_timeout(mut self, timeout: Duration) -> Self {
        self.answer_timeout = timeout;
        self
    }

    /// Opens the store at `url`, see [`connect`].
    ///
    /// # Errors
    /// See [`connect`].
    pub async fn connect(&self, url: &str) -> Result<Arc<dyn Store>, ConnectError> {
        let Some((scheme, rest)) = url.split_once(':') else {
            return Err(url_error(url, "it has no scheme; use `sqlite:path` or `postgres://…`"));
        };
        if let Some(name) = &self.namespace {
            namespace::check(url, name)?;
        }
        match scheme {
            "sqlite" => connect_sqlite(url, rest, self).await,
            "postgres" | "postgresql" => connect_postgres(url, self).await,
            _ => Err(url_error(
                url,
                &format!("there is no store for `{scheme}:`; use `sqlite:path` or `postgres://…`"),
            )),
        }
    }
}

/// Opens a store and migrates its schema.
///
/// - `sqlite:orders.db`, `sqlite:///var/lib/orders.db`: a file, created if it is missing; its directory must exist.
///   The path is used literally, without escapes or parameters. The file always uses a write-ahead log and
///   `synchronous=FULL`, so acknowledged writes are on disk.
/// - `sqlite::memory:`: a database that is deleted when the store is closed.
/// - `postgres://user:password@host:port/database`: a Postgres server, version 13 or later, with the parameters of
///   `sqlx`. The tables, all named `piton_…`, are created in the first schema of the search path. The database's
///   encoding must be UTF8. Connection poolers must keep sessions, because notifications and locks depend on them;
///   one that shares connections between transactions, like pgbouncer in transaction mode, is refused. If
///   `synchronous_commit` is `off`, piton's sessions turn it on, so that acknowledged writes are on the server's
///   disk; other values do not change.
///
/// If the future is dropped, a new file or new tables may remain; the next call uses them.
///
/// # Errors
/// [`ConnectError`]. Retrying helps only for [`ConnectError::Unreachable`], once its cause is fixed. A call that
/// fails with [`ConnectError::Url`] has created nothing.
pub async fn connect(url: &str) -> Result<Arc<dyn Store>, ConnectError> {
    StoreOptions::default().connect(url).await
}

/// The [namespaces](StoreOptions::namespace) of the database at `url`, ordered by name. The store without a
/// namespace is not included.
///
/// # Errors
/// [`ConnectError::Url`], and [`ConnectError::Unreachable`] if the server or the directory of the file cannot be
/// read. Creates nothing.
pub async fn namespaces(url: &str) -> Result<Vec<String>, ConnectError> {
    match url.split_once(':') {
        #[cfg(feature = "sqlite")]
        Some(("sqlite", ":memory:")) => Ok(Vec::new()),
        #[cfg(feature = "sqlite")]
        Some(("sqlite", rest)) => {
            namespace::beside(path_of(url, rest)?).map_err(|error| ConnectError::Unreachable {
                target: without_password(url),
                reason: error.to_string(),
                source: None,
            })
        }
        #[cfg(feature = "postgres")]
        Some(("postgres" | "postgresql", _)) => super::postgres::namespaces(url).await,
        _ => {
            Err(url_error(url, "this build has no such store; use `sqlite:path` or `postgres://…`"))
        }
    }
}

#[cfg(feature = "sqlite")]
async fn connect_sqlite(
    url: &str,
    rest: &str,
    options: &StoreOptions,
) -> Result<Arc<dyn Store>, ConnectError> {
    use super::sqlite::{open_file, open_memory};
    if rest == ":memory:" {
        return Ok(Arc::new(open_memory(options).await?));
    }
    let path = path_of(url, rest)?;
    let file = options.namespace.as_ref().map(|name| namespace::file_of(path, name));
    Ok(Arc::new(open_file(file.as_deref().unwrap_or(path), options).await?))
}

#[cfg(feature = "sqlite")]
fn path_of<'a>(url: &str, rest: &'a str) -> Result<&'a Path, ConnectError> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() {
        return Err(url_error(url, "it names no file; use `sqlite:path` or `sqlite::memory:`"));
    }
    if path.contains('?') {
        return Err(url_error(url, "SQLite URLs take no parameters here"));
    }
    Ok(path.as_ref())
}

#[cfg(not(feature = "sqlite"))]
async fn connect_sqlite(
    url: &str,
    _: &str,
    _: &StoreOptions,
) -> Result<Arc<dyn Store>, ConnectError> {
    Err(url_error(url, "this build has no SQLite store; enable the feature `sqlite` of piton"))
}

#[cfg(feature = "postgres")]
async fn connect_postgres(
    url: &str,
    options: &StoreOptions,
) -> Result<Arc<dyn Store>, ConnectError> {
    Ok(Arc::new(super::postgres::open(url, options).await?))
}

#[cfg(not(feature = "postgres"))]
async fn connect_postgres(url: &str, _: &StoreOptions) -> Result<Arc<dyn Store>, ConnectError> {
    Err(url_error(url, "this build has no Postgres store; enable the feature `postgres` of piton"))
}

fn url_error(url: &str, reason: &str) -> ConnectError {
    ConnectError::Url { url: without_password(url), reason: reason.to_owned() }
}

/// The URL without its password, for logs.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or(user);
            format!("{scheme}://{user}@{host}{}", &rest[authority.len()..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_do_not_show() {
        assert_eq!(
            without_password("postgres://ann:s3cret@db:5432/orders?x=1"),
            "postgres://ann@db:5432/orders?x=1"
        );
        assert_eq!(without_password("postgres://db/orders"), "postgres://db/orders");
        assert_eq!(without_password("sqlite:orders.db"), "sqlite:orders.db");
    }
}
