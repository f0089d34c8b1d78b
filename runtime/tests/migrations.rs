//! Migrations: a migrated database of any version equals a new one and has lost no data.
//!
//! Without Postgres binaries its tests are reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::model::{BlockedReason, DefinitionHash, Handle, RunStatus, StepNo, WorkerId};
use piton::store::{
    ActivityKey, ArrivalKind, ArrivalOutcome, MessageKey, NewArrival, RelayMessages, Relayed,
    RunKey, Senders, connect,
};
use piton_postgres_cluster::{Cluster, run_tests, trial};
use sqlx::migrate::Migrator;
use sqlx::{PgPool, SqlitePool};

/// The rows of a program with an old schema: a waiting run with an arrival, an activity and a message, a closed run, a
/// blocked run, and a dead worker that owns a run.
const OLD_ROWS: &str = "
    INSERT INTO piton_runs (run_id, step_no, inbox_count, due_at, started_at, workflow_id, workflow,
        status, state, snapshot)
    VALUES ({1}, 3, 1, 20, 10, 'waiting', 'order', 'running', 'pay', {bytes});
    INSERT INTO piton_inbox (run_id, seq, arrival) VALUES ({1}, 1, {bytes});
    INSERT INTO piton_arrival_keys (run_id, dedup_key) VALUES ({1}, 'key');
    INSERT INTO piton_activities (run_id, handle, attempt, due_at, queue, activity, call)
    VALUES ({1}, 6, 2, 30, 'gpu', 'render', {bytes});
    INSERT INTO piton_outbox (run_id, seq, workflow_id, message, sent_at)
    VALUES ({1}, 7, 'over', {bytes}, 10);
    INSERT INTO piton_runs (run_id, step_no, started_at, closed_at, workflow_id, workflow, status,
        state, snapshot, result)
    VALUES ({2}, 7, 10, 30, 'over', 'order', 'completed', 'pay', {bytes}, {bytes});
    INSERT INTO piton_runs (run_id, step_no, started_at, workflow_id, workflow, status, state, snapshot,
        blocked, blocked_at)
    VALUES ({3}, 1, 10, 'blocked', 'order', 'blocked', 'pay', {bytes}, '{\"undecodable\":\"old\"}', 20);
    INSERT INTO piton_workers (worker_id, epoch, host, pid, lease_ms, lease_expires_at {locked})
    VALUES (41, 2, 'host', 1, 1000, 20 {false});
    INSERT INTO piton_runs (run_id, step_no, takeovers, worker_id, epoch, started_at, workflow_id, workflow,
        status, state, snapshot)
    VALUES ({4}, 5, 1, 41, 2, 10, 'owned', 'order', 'running', 'pay', {bytes});
    INSERT INTO piton_definitions (workflow, hash, description) VALUES ('order', 5, '{}');
";

/// The arguments of the run: in their own table on SQLite, in the run's row on Postgres.
const INPUT: &str = "INSERT INTO piton_run_inputs (run_id, arguments) VALUES ({1}, {bytes});";
const INPUT_IN_THE_ROW: &str = "UPDATE piton_runs SET arguments = {bytes} WHERE run_id = {1};";

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let trials = vec![
            Trial::test("both_stores_have_the_same_migrations", || {
                assert_eq!(names("postgres"), names("sqlite"));
                Ok(())
            }),
            Trial::test("an_old_sqlite_file_becomes_like_a_new_one", || block_on(sqlite())),
            trial("an_old_postgres_database_becomes_like_a_new_one".into(), cluster, |cluster| {
                block_on(postgres(&cluster))
            }),
            trial("differences_of_postgres_databases_show".into(), cluster, |cluster| {
                block_on(differences_show(&cluster))
            }),
        ];
        trials
    })
}

fn block_on(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

fn folder(store: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(store)
}

/// The names of the migrations by their numbers, which must be 1, 2, 3, …
fn names(store: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder(store)).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    for (index, name) in names.iter().enumerate() {
        assert!(name.starts_with(&format!("{:04}_", index + 1)), "{name} is not number {index}");
    }
    names
}

/// All migrations; an older version of piton has the first few of them.
async fn migrations(store: &str) -> Migrator {
    let mut migrator = Migrator::new(folder(store)).await.expect("they can be read");
    migrator.dangerous_set_table_name("piton_migrations");
    migrator
}

async fn sqlite() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let url = |name: &str| format!("sqlite:{}", directory.path().join(name).display());
    connect(&url("new")).await?.close().await;
    let expected = sqlite_schema(&url("new")).await?;
    let migrations = migrations("sqlite").await;
    for newest in migrations.iter().map(|migration| migration.version) {
        let url = url(&format!("old_{newest}"));
        let pool = SqlitePool::connect(&format!("{url}?mode=rwc")).await?;
        migrations.run_to(newest, &pool).await?;
        let rows = old_rows(INPUT, "x'01'", |id| format!("x'{:032x}'", id));
        let rows = rows.replace("{locked}", "").replace("{false}", "");
        sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&pool).await?;
        pool.close().await;
        check_rows(&url).await?;
        let pool = SqlitePool::connect(&url).await?;
        let arrivals: Vec<(i64, Vec<u8>)> = sqlx::query_as(ARRIVALS).fetch_all(&pool).await?;
        assert_eq!(arrivals, [(1, vec![1])], "from schema {newest}");
        pool.close().await;
        assert_eq!(sqlite_schema(&url).await?, expected, "from schema {newest}");
    }
    Ok(())
}

async fn postgres(cluster: &Cluster) -> Result<(), Failed> {
    let new = cluster.new_database().await?;
    connect(&new).await?.close().await;
    let expected = postgres_schema(cluster, &new).await?;
    let migrations = migrations("postgres").await;
    for newest in migrations.iter().map(|migration| migration.version) {
        let url = cluster.new_database().await?;
        let pool = PgPool::connect(&url).await?;
        migrations.run_to(newest, &pool).await?;
        let id = |id| format!("'{}'", uuid::Uuid::from_u128(id));
        let rows = old_rows(INPUT_IN_THE_ROW, r"'\x01'", id);
        let rows = rows.replace("{locked}", ", is_locked").replace("{false}", ", false");
        sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(&pool).await?;
        pool.close().await;
        check_rows(&url).await?;
        let pool = PgPool::connect(&url).await?;
        let arrivals: Vec<(i64, Vec<u8>)> = sqlx::query_as(ARRIVALS).fetch_all(&pool).await?;
        assert_eq!(arrivals, [(1, vec![1])], "from schema {newest}");
        let arguments: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT arguments FROM piton_runs WHERE workflow_id = 'waiting'")
                .fetch_one(&pool)
                .await?;
        assert_eq!(arguments, Some(vec![1]), "from schema {newest}");
        pool.close().await;
        assert_eq!(postgres_schema(cluster, &url).await?, expected, "from schema {newest}");
    }
    Ok(())
}

fn old_rows(input: &str, bytes: &str, id: impl Fn(u128) -> String) -> String {
    let rows = format!("{OLD_ROWS}{input}").replace("{bytes}", bytes);
    (1..=4).fold(rows, |rows, run| rows.replace(&format!("{{{run}}}"), &id(run)))
}

/// The arrivals of the waiting run, with made-up content that no version can read.
const ARRIVALS: &str = "SELECT seq, arrival FROM piton_inbox";

/// Opens a database with an old schema and checks its rows.
async fn check_rows(url: &str) -> Result<(), Failed> {
    let store = connect(url).await?;
    let find = async |id: &str| store.find_run(&RunKey::WorkflowId(id.into())).await;
    let waiting = find("waiting").await?.expect("it is there");
    assert_eq!((waiting.status, waiting.step_no), (RunStatus::Running, StepNo(3)));
    let over = find("over").await?.expect("it is there");
    assert_eq!((over.status, over.step_no), (RunStatus::Completed, StepNo(7)));
    assert!(over.result.is_some());
    let blocked = find("blocked").await?.expect("it is there");
    assert_eq!(blocked.blocked, Some(BlockedReason::Undecodable("old".into())));
    let adoptable = store.find_blocked(&["order"], None, 10).await?;
    assert_eq!(adoptable.iter().map(|run| run.run_id).collect::<Vec<_>>(), [blocked.run_id]);

    let key = ActivityKey { run_id: waiting.run_id, handle: Handle(6) };
    let activity = store.find_activity(key).await?;
    assert!(activity.is_some_and(|activity| activity.queue == "gpu" && activity.attempt == 2));

    let senders = Senders::WaitingFor(Duration::from_secs(1));
    let relayed = store.relay_messages(RelayMessages { senders, limit: 10 }).await?;
    let unreadable = MessageKey { run_id: waiting.run_id, seq: 7 };
    assert_eq!(relayed, Relayed { unreadable: vec![unreadable], ..Relayed::default() });

    let owned = find("owned").await?.expect("it is there");
    assert_eq!(owned.owner, Some(WorkerId(41)));
    assert_eq!(store.fence_expired_workers().await?, (vec![WorkerId(41)], 1));
    let let_go = find("owned").await?.expect("it is there");
    assert_eq!((let_go.owner, let_go.due_at.is_some()), (None, true));

    let definitions = store.find_definitions(DefinitionHash(5)).await?;
    assert!(matches!(&definitions[..], [definition] if definition.workflow == "order"));

    let again = NewArrival {
        run_id: waiting.run_id,
        kind: ArrivalKind::Cancel { reason: "enough".into() },
        dedup_key: Some("key".into()),
        owner: None,
    };
    assert_eq!(store.deliver(vec![again]).await?, [ArrivalOutcome::Duplicate]);
    store.close().await;
    Ok(())
}

/// Every object by its name, with its statement.
async fn sqlite_schema(url: &str) -> Result<BTreeMap<String, String>, Failed> {
    let pool = SqlitePool::connect(url).await?;
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema")
            .fetch_all(&pool)
            .await?;
    pool.close().await;
    let words = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(rows.into_iter().map(|(name, sql)| (name, words(sql))).collect())
}

/// The objects of a database with the schema.
#[derive(Debug, PartialEq)]
struct Schema {
    /// Each object with its entries in the server's catalogs.
    catalog: Vec<String>,
    /// The output of `pg_dump`, if the server has it, without the parts that differ between dumps.
    dump: Option<String>,
}

/// Tables with their columns and dependent objects, independent of the server's version.
const CATALOG: &str = "
    WITH tables AS (SELECT oid, relname FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S'))
    SELECT format('%s %s: options %s, persistence %s', relkind, relname, reloptions, relpersistence)
        FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind <> 't'
    UNION ALL
    SELECT format('column %s.%s is number %s: %s, not null %s, default %s, identity %s, generated %s,         storage %s, collation %s', relname, attname, attnum, format_type(atttypid, atttypmod),
        attnotnull, pg_get_expr(adbin, adrelid), attidentity, attgenerated, attstorage,
        attcollation::regcollation)
        FROM tables JOIN pg_attribute ON attrelid = tables.oid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT format('constraint %s of %s: %s, validated %s', conname, relname,
        pg_get_constraintdef(pg_constraint.oid), convalidated)
        FROM tables JOIN pg_constraint ON conrelid = tables.oid
    UNION ALL
    SELECT format('index %s of %s: %s, valid %s', indexrelid::regclass, relname,
        pg_get_indexdef(indexrelid), indisvalid)
        FROM tables JOIN pg_index ON indrelid = tables.oid
    UNION ALL
    SELECT format('trigger %s: %s', tgname, pg_get_triggerdef(pg_trigger.oid))
        FROM tables JOIN pg_trigger ON tgrelid = tables.oid WHERE NOT tgisinternal
    UNION ALL
    SELECT format('function %s: %s', proname, pg_get_functiondef(pg_proc.oid)) FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND prokind IN ('f', 'p')
    UNION ALL
    SELECT format('type %s: %s', typname, typtype) FROM pg_type
        WHERE typnamespace = current_schema()::regnamespace AND typtype <> 'b'
    ORDER BY 1";

async fn postgres_schema(cluster: &Cluster, url: &str) -> Result<Schema, Failed> {
    let catalog = read_catalog(url).await?;
    assert!(catalog.iter().any(|line| line.contains("piton_runs")), "{catalog:#?}");
    let database = url.trim_start_matches("postgres:///").split('?').next().expect("a name");
    let dump = cluster.has("pg_dump").then(|| {
        let dump = cluster.run("pg_dump", &["--schema-only", database]);
        assert!(dump.contains("piton_runs"), "{dump}");
        let lines =
            dump.lines().filter(|line| !line.starts_with("--") && !line.contains("restrict "));
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    });
    Ok(Schema { catalog, dump })
}

async fn read_catalog(url: &str) -> Result<Vec<String>, Failed> {
    let pool = PgPool::connect(url).await?;
    let catalog = sqlx::query_scalar(CATALOG).fetch_all(&pool).await?;
    pool.close().await;
    Ok(catalog)
}

/// The catalogs show each difference that a migration could leave.
async fn differences_show(cluster: &Cluster) -> Result<(), Failed> {
    const DIFFERENCES: [&str; 10] = [
        "ALTER TABLE piton_runs ADD COLUMN more BIGINT",
        "ALTER TABLE piton_runs ALTER COLUMN state SET DEFAULT 'start'",
        "ALTER TABLE piton_runs ALTER COLUMN workflow DROP NOT NULL",
        "ALTER TABLE piton_inbox ALTER COLUMN seq TYPE NUMERIC",
        "ALTER TABLE piton_runs ADD CHECK (step_no < 1000)",
        "ALTER TABLE piton_runs SET (fillfactor = 71)",
        "ALTER TABLE piton_runs ALTER COLUMN snapshot SET STORAGE EXTERNAL",
        "CREATE INDEX piton_more ON piton_runs (state)",
        "DROP INDEX piton_runs_blocked",
        "CREATE FUNCTION piton_more () RETURNS INT LANGUAGE sql AS 'SELECT 1'",
    ];
    let url = cluster.new_database().await?;
    connect(&url).await?.close().await;
    let mut before = read_catalog(&url).await?;
    for difference in DIFFERENCES {
        let pool = PgPool::connect(&url).await?;
        sqlx::raw_sql(difference).execute(&pool).await?;
        pool.close().await;
        let after = read_catalog(&url).await?;
        assert_ne!(before, after, "{difference}");
        before = after;
    }
    Ok(())
}
