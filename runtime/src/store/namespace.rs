//! Namespaces: separate stores in one database.
//!
//! On Postgres, a namespace is a schema; on SQLite, a file beside the database. No table has a column for it, so
//! statements cost the same with and without namespaces.

#[cfg(feature = "sqlite")]
use std::path::{Path, PathBuf};

use super::connect::without_password;
use crate::error::ConnectError;

/// The longest name, in bytes. Postgres truncates names of schemas after 63.
const MAX_LEN: usize = 48;

/// Checks a name before anything is created.
pub(super) fn check(url: &str, name: &str) -> Result<(), ConnectError> {
    let reason = match name {
        "" => "it is empty",
        _ if name.len() > MAX_LEN => "it is longer than 48 bytes",
        _ if !is_made_of_letters(name) => {
            "it has a character other than ASCII letters, digits, `_` and `-`"
        }
        _ if name.starts_with("pg_") || name == "information_schema" => {
            "Postgres keeps schemas of that name for itself"
        }
        _ => return Ok(()),
    };
    Err(ConnectError::Namespace {
        target: without_password(url),
        namespace: name.to_owned(),
        reason: reason.to_owned(),
    })
}

fn is_made_of_letters(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The SQLite file of a namespace: `orders@billing.db` beside `orders.db`.
#[cfg(feature = "sqlite")]
pub(super) fn file_of(database: &Path, namespace: &str) -> PathBuf {
    let mut name = database.file_stem().unwrap_or_default().to_owned();
    name.push(format!("@{namespace}"));
    if let Some(extension) = database.extension() {
        name.push(".");
        name.push(extension);
    }
    database.with_file_name(name)
}

/// The namespaces that have a file beside `database`, in the order of their names.
#[cfg(feature = "sqlite")]
pub(super) fn beside(database: &Path) -> std::io::Result<Vec<String>> {
    let folder = match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let Some((_, name)) = stem.and_then(|stem| stem.rsplit_once('@')) else { continue };
        if is_made_of_letters(name) && path.file_name() == file_of(database, name).file_name() {
            found.push(name.to_owned());
        }
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_has_a_file_beside_that_of_the_database() {
        let file = |database: &str| file_of(database.as_ref(), "billing");
        assert_eq!(file("orders.db"), Path::new("orders@billing.db"));
        assert_eq!(file("/var/lib/orders"), Path::new("/var/lib/orders@billing"));
        assert_eq!(file("a.b.sqlite"), Path::new("a.b@billing.sqlite"));
    }

    #[test]
    fn names_that_not_every_database_takes_are_refused() {
        for name in ["billing", "team-7", "Team_7", &"a".repeat(48)] {
            assert!(check("sqlite:x", name).is_ok(), "{name}");
        }
        for name in ["", "a.b", "a b", "a/../b", "ö", "a\"b", "pg_temp", &"a".repeat(49)] {
            let error = check("postgres://ann:s3cret@db/x", name).expect_err(name).to_string();
            assert!(error.contains(&format!("`{name}`")) && !error.contains("s3cret"), "{error}");
        }
    }
}
