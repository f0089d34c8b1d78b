//! Several statements in one message.
//!
//! sqlx keeps each SQLite connection on its own thread, and every call is a round trip to it. At some 13 µs (measured
//! on two virtual cores) the round trip costs more than the statement, so a transaction is sent as one or two scripts.
//! Sending several prepared statements as one text works only with sqlx's SQLite driver, and is not used outside this
//! file. Lists become `VALUES` rows whose number is rounded up to one of a few sizes, padded with nulls, so that the
//! same few texts recur and stay prepared.

use futures_util::TryStreamExt as _;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Either, Encode, Executor as _, Row as _, Sqlite, Type};

/// The numbers of rows that a list is rounded up to.
const SIZES: [usize; 5] = [1, 4, 16, 64, 256];

/// The longest list that one statement takes.
pub(super) const MAX_ROWS: usize = SIZES[SIZES.len() - 1];

/// Statements and the values of their parameters, both in order.
#[derive(Default)]
pub(super) struct Script {
    sql: String,
    arguments: SqliteArguments,
    failure: Option<sqlx::Error>,
}

/// The rows that each statement of a script returned.
pub(super) struct Rows(Vec<Vec<SqliteRow>>);

impl Script {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Appends SQL text, which must not contain any input.
    pub(super) fn sql(&mut self, text: &str) -> &mut Self {
        self.sql.push_str(text);
        self
    }

    /// Appends another script.
    pub(super) fn append(&mut self, other: Self) -> &mut Self {
        debug_assert!(self.arguments.len() == 0, "parameters are numbered from the start");
        self.sql.push_str(&other.sql);
        self.arguments = other.arguments;
        self.failure = self.failure.take().or(other.failure);
        self
    }

    /// Binds the next `?`.
    pub(super) fn bind<'q, T>(&mut self, value: T) -> &mut Self
    where
        T: Encode<'q, Sqlite> + Type<Sqlite>,
    {
        if let Err(error) = self.arguments.add(value) {
            self.failure.get_or_insert(sqlx::Error::Encode(error));
        }
        self
    }

    /// Appends `VALUES` with a row for each item, `columns` wide, then rows of nulls. Statements
    /// that use it must ignore rows whose first column is null.
    pub(super) fn values<I: ExactSizeIterator>(
        &mut self,
        columns: usize,
        items: I,
        mut bind: impl FnMut(&mut Self, I::Item),
    ) -> &mut Self {
        let count = items.len();
        debug_assert!((1..=MAX_ROWS).contains(&count), "callers split lists");
        let size = SIZES.into_iter().find(|size| *size >= count).unwrap_or(count);
        self.sql.push_str("VALUES ");
        for row in 0..size {
            self.sql.push_str(if row == 0 { "(?" } else { ",(?" });
            for _ in 1..columns {
                self.sql.push_str(",?");
            }
            self.sql.push(')');
        }
        for item in items {
            bind(self, item);
        }
        for _ in 0..(size - count) * columns {
            self.bind(None::<i64>);
        }
        self
    }

    /// Runs all statements, up to the first that fails.
    pub(super) async fn run(self, connection: &mut SqliteConnection) -> Result<Rows, sqlx::Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut statements = vec![Vec::new()];
        let mut answers =
            connection.fetch_many(sqlx::query_with(AssertSqlSafe(self.sql), self.arguments));
        while let Some(answer) = answers.try_next().await? {
            match answer {
                Either::Left(_) => statements.push(Vec::new()),
                // There always is a last element: the statement that is running.
                Either::Right(row) => statements.last_mut().expect("never empty").push(row),
            }
        }
        Ok(Rows(statements))
    }
}

impl Rows {
    /// The rows of statement number `index`, from 0.
    pub(super) fn of(&mut self, index: usize) -> Vec<SqliteRow> {
        self.0.get_mut(index).map(std::mem::take).unwrap_or_default()
    }

    /// The same, decoded from rows.
    pub(super) fn read<T>(&mut self, index: usize) -> Result<Vec<T>, sqlx::Error>
    where
        T: for<'r> sqlx::FromRow<'r, SqliteRow>,
    {
        self.of(index).iter().map(T::from_row).collect()
    }

    /// Whether statement number `index` returned a row.
    pub(super) fn any(&self, index: usize) -> bool {
        self.0.get(index).is_some_and(|rows| !rows.is_empty())
    }

    /// The first column of the only row of statement number `index`.
    pub(super) fn scalar<T>(&mut self, index: usize) -> Result<T, sqlx::Error>
    where
        T: for<'r> sqlx::Decode<'r, Sqlite> + Type<Sqlite>,
    {
        self.of(index).first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)
    }
}
