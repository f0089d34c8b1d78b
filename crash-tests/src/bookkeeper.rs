//! Killing the bookkeeper, and looking into its books afterwards.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use piton::sqlx::any::AnyRow;
use piton::sqlx::{self, AnyConnection, Connection as _, Row as _};

use crate::books::{ENTRIES, Kept, RUNS, TABLE};
use crate::ledger;

/// The program must be done after this many restarts; one that makes no progress is a failure and
/// not an endless test.
const MAX_RESTARTS: u32 = 60;

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
    /// Prepares an empty database, kills the program when it reaches `point` for the `count`th time,
    /// twice, lets it finish, and audits the books. A claim is one of what a killed program has left, so
    /// `count` is then about an activity of that one.
    ///
    /// # Panics
    /// If anything is not as it must be, or `point` is not reached that often.
    pub async fn is_killed_at(&self, point: &str, count: u32) {
        self.prepare().await;
        let lives = match point {
            "after_claim" => vec![("before_activity", count), (point, 1), (point, 1)],
            _ => vec![(point, count); 2],
        };
        for (point, count) in &lives {
            let ended = self.start(Some(&format!("{point}:{count}=kill"))).wait().expect("it ran");
            assert!(was_killed(ended), "{point}:{count} was never reached: {ended}");
        }
        self.finish();
        self.audit(lives.len() as u32).await;
    }

    /// Prepares an empty database, kills the program after each of these waits, lets it finish,
    /// and audits the books.
    ///
    /// # Panics
    /// If anything is not as it must be.
    pub async fn is_killed_after(&self, waits: &[std::time::Duration]) {
        self.prepare().await;
        let mut kills = 0;
        for wait in waits {
            let mut child = self.start(None);
            let mut line = String::new();
            let output = child.stdout.as_mut().expect("piped");
            BufReader::new(output).read_line(&mut line).expect("readable");
            assert_eq!(line, "ready\n");
            // The instant is what is tested here, so this waits for time and not for an event.
            std::thread::sleep(*wait);
            child.kill().expect("it was there to be killed");
            kills += u32::from(was_killed(child.wait().expect("it ran")));
        }
        self.finish();
        self.audit(kills).await;
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

    fn start(&self, fail_point: Option<&str>) -> Child {
        let mut command = Command::new(self.program);
        command.arg(self.url).arg(self.folder).stdout(Stdio::piped());
        command.env_remove("PITON_FAILPOINT");
        if let Some(spec) = fail_point {
            command.env("PITON_FAILPOINT", spec);
        }
        command.spawn().expect("the program starts")
    }

    fn finish(&self) {
        for _ in 0..MAX_RESTARTS {
            if self.start(None).wait().expect("it ran").success() {
                return;
            }
        }
        panic!("the program did not finish in {MAX_RESTARTS} lives");
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

fn was_killed(status: ExitStatus) -> bool {
    const SIGKILL: i32 = 9;
    status.signal() == Some(SIGKILL)
}
