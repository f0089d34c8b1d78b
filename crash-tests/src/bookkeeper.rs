//! Killing the bookkeeper, and checking its books.

use std::path::Path;
use std::time::Duration;

use piton::sqlx::any::AnyRow;
use piton::sqlx::{self, AnyConnection, Connection as _, Row as _};

use crate::books::{ENTRIES, Kept, RUNS, TABLE};
use crate::ledger;
use crate::program::Program;

/// The points at which the bookkeeper is killed.
pub const POINTS: [&str; 6] = [
    "before_activity",
    "after_activity",
    "after_activity_commit",
    "before_commit",
    "after_commit",
    "after_claim",
];

/// The program, the database and the folder that it is started on.
#[derive(Debug)]
pub struct Bookkeeper<'a> {
    /// The program.
    pub program: &'a str,
    /// The database.
    pub url: &'a str,
    /// Where ledger and results are.
    pub folder: &'a Path,
}

impl Bookkeeper<'_> {
    /// Prepares an empty database, kills the program when it reaches `point` for the `count`th time, twice, lets it
    /// finish, and audits the books. A point in a claim is reached when the program takes over the runs of a killed
    /// one.
    ///
    /// # Panics
    /// If the books are wrong, or `point` is not reached that often.
    pub async fn is_killed_at(&self, point: &str, count: u32) {
        self.prepare().await;
        let lives = match point {
            "after_claim" => vec![("before_activity", count), (point, 1), (point, 1)],
            _ => vec![(point, count); 2],
        };
        for (point, count) in &lives {
            self.program().is_killed_at(point, *count);
        }
        self.program().finish();
        self.audit(lives.len() as u32).await;
    }

    /// Prepares an empty database, kills the program after each of these waits, lets it finish,
    /// and audits the books.
    ///
    /// # Panics
    /// If the books are wrong.
    pub async fn is_killed_after(&self, waits: &[Duration]) {
        self.prepare().await;
        let kills = waits.iter().filter(|wait| self.program().is_killed_after(**wait)).count();
        self.program().finish();
        self.audit(kills as u32).await;
    }

    fn program(&self) -> Program<'_> {
        let arguments = vec![self.url.into(), self.folder.into()];
        Program { path: self.program, arguments }
    }

    async fn connect(&self) -> AnyConnection {
        sqlx::any::install_default_drivers();
        AnyConnection::connect(self.url).await.expect("the database is there")
    }

    async fn prepare(&self) {
        if let Some(file) = self.url.strip_prefix("sqlite:") {
            std::fs::File::create(file).expect("it can be written");
        }
        let mut connection = self.connect().await;
        sqlx::query(TABLE).execute(&mut connection).await.expect("it can be made");
        connection.close().await.expect("it can be closed");
    }

    async fn audit(&self, kills: u32) {
        let results =
            std::fs::read_to_string(self.folder.join("results.txt")).expect("it finished");
        let kept: Vec<Kept> = results
            .lines()
            .map(|line| serde_json::from_str(line).expect("the program has written it"))
            .collect();
        assert_eq!(kept.len(), RUNS as usize);
        let mut unknown = 0;
        for run in &kept {
            let expected: Vec<i64> = (1..=ENTRIES.cast_signed()).collect();
            assert_eq!(run.counts, expected, "an entry was lost or made twice: {kept:?}");
            assert_eq!(run.sent + run.unknown, ENTRIES);
            unknown += run.unknown;
        }
        assert!(unknown <= u64::from(kills) * RUNS, "{unknown} unknown after {kills} kills");
        let mut connection = self.connect().await;
        let entries = "SELECT run, entry FROM entries ORDER BY run, entry";
        let rows = sqlx::query(entries).fetch_all(&mut connection).await.expect("readable");
        let rows: Vec<(i64, i64)> =
            rows.iter().map(|row: &AnyRow| (row.get(0), row.get(1))).collect();
        let expected: Vec<(i64, i64)> = (0..RUNS.cast_signed())
            .flat_map(|run| (0..ENTRIES.cast_signed()).map(move |entry| (run, entry)))
            .collect();
        assert_eq!(rows, expected, "rows after {kills} kills");
        let letters = ledger::read(self.folder).expect("a readable ledger");
        for (key, letter) in &letters {
            assert_eq!(letter.began, [1], "letter {key} after {kills} kills: {letter:?}");
        }
        let sent: u64 = kept.iter().map(|run| run.sent).sum();
        let returned = letters.values().filter(|letter| !letter.returned.is_empty()).count();
        assert!(sent <= returned as u64, "{sent} said to be sent, {returned} were");
    }
}
