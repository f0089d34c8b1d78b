//! The command line of the program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Carries out a file of orders, each as a durable run: charge, reserve, approve, ship; or refund and release. Kill it
/// at any moment; the same command continues where it was.
#[derive(Clone, Debug, Parser)]
#[command(name = "orders", version)]
pub struct Options {
    /// The orders as CSV. Default: the bundled `examples/data/orders.csv`.
    pub file: Option<PathBuf>,

    /// Where the database `orders.db` and the gateway's `ledger.db` are kept. Made if need be.
    #[arg(long, value_name = "DIR", default_value = "orders-data")]
    pub data: PathBuf,

    /// The database of the runs. Default: `sqlite:` and `orders.db` in the data directory.
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,

    /// What the simulated approver does with large orders.
    #[arg(long, value_enum, default_value_t = Approve::All)]
    pub approve: Approve,

    /// How long a large order waits for approval, such as `5s`, `2m` or `3d`.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub approval_window: Duration,

    /// How many orders are handed in, and how many calls are made, at the same time.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..))]
    pub concurrency: u16,

    /// Let the gateway answer every call well and at once, to see what piton itself costs.
    #[arg(long)]
    pub calm: bool,

    /// Delete the database and the ledger and start over.
    #[arg(long)]
    pub fresh: bool,

    /// Check the ledger against runs and input, and do nothing else. Exits with 1 if they disagree.
    #[arg(long, conflicts_with = "fresh")]
    pub verify: bool,
}

/// What the simulated approver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Approve {
    /// Nothing: large orders expire.
    None,
    /// Approve every large order.
    All,
}

impl Options {
    /// The file with the orders.
    pub fn file(&self) -> PathBuf {
        self.file.clone().unwrap_or_else(|| {
            Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join("orders.csv")
        })
    }

    /// The URL of the database.
    pub fn database(&self) -> String {
        self.database
            .clone()
            .unwrap_or_else(|| format!("sqlite:{}", self.data.join("orders.db").display()))
    }

    /// The file of the database, if it is one.
    pub fn database_file(&self) -> Option<PathBuf> {
        let database = self.database();
        let path = database.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        (path != ":memory:").then(|| path.into())
    }

    /// The file of the gateway's ledger.
    pub fn ledger_file(&self) -> PathBuf {
        self.data.join("ledger.db")
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let duration: jiff::SignedDuration =
        text.parse().map_err(|error: jiff::Error| error.to_string())?;
    Duration::try_from(duration).map_err(|_| "a time to wait cannot be negative".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, clap::Error> {
        Options::try_parse_from([&["orders"], arguments].concat())
    }

    #[test]
    fn without_arguments_everything_has_a_place() {
        let options = parse(&[]).expect("nothing is required");
        assert!(options.file().ends_with("examples/data/orders.csv"));
        assert_eq!(options.database_file(), Some("orders-data/orders.db".into()));
        assert_eq!(options.ledger_file(), Path::new("orders-data/ledger.db"));
        assert_eq!(options.approval_window, Duration::from_secs(5));
    }

    #[test]
    fn the_database_is_a_file_only_if_it_is_one() {
        for (url, file) in [
            ("sqlite:a.db", Some("a.db")),
            ("sqlite:///tmp/a.db", Some("/tmp/a.db")),
            ("sqlite::memory:", None),
            ("postgres://localhost/a", None),
        ] {
            let options = parse(&["--database", url]).expect("any text");
            assert_eq!(options.database_file(), file.map(Into::into), "{url}");
        }
    }

    #[test]
    fn times_are_words_and_not_negative() {
        let options = parse(&["--approval-window", "1m 30s"]).expect("a time");
        assert_eq!(options.approval_window, Duration::from_secs(90));
        assert!(parse(&["--approval-window", "soon"]).is_err());
        assert!(parse(&["--approval-window=-5s"]).is_err());
        assert!(parse(&["--concurrency", "0"]).is_err());
    }
}
