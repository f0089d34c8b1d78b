//! Runs that one build of a program has saved and another continues, on both databases.
//!
//! Each edit is a pair of builds. A worker of the old build parks a run in each state that the edit touches, and a
//! worker of the new build continues it. The run completes with the expected result, or it is blocked with the expected
//! difference and an unchanged state, so that the old build can finish it.
//!
//! Without Postgres binaries the tests on it are reported as ignored, or as failed if `PITON_REQUIRE_POSTGRES=1`.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::unused_async)]

mod books;
mod documented;
mod drive;
mod edit;
mod shop;

mod again;
mod answered;
mod attributes;
mod blocks;
mod bodies;
mod borrows;
mod branches;
mod collections;
mod early_exits;
mod endings;
mod enums;
mod exchanged;
mod exposed;
mod fan_out;
mod forms;
mod handles;
mod held;
mod helpers;
mod inline;
mod iterators;
mod kin;
mod locals;
mod loops;
mod narrowed;
mod nested;
mod operands;

mod options;
mod parameters;
mod parts;
mod places;
mod refused;
mod retried;
mod rewritten;
mod same_operation;
mod scheduled;
mod several;
mod shapes;
mod structs;
mod temporaries;
mod transactions;
mod undone;
mod values;
mod wire;

use std::pin::Pin;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::store::{MemoryStore, Store, connect};
use piton_postgres_cluster::{run_tests, trial};

use crate::books::Books;
use crate::edit::Edit;

const EMPTY: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";

/// A test on a store.
type OnStore = fn(Arc<dyn Store>) -> Pin<Box<dyn Future<Output = Result<(), Failed>>>>;

pub type Group = (&'static str, fn() -> Vec<Edit>);

const GROUPS: &[Group] = &[
    ("places", places::all),
    ("same_operation", same_operation::all),
    ("locals", locals::all),
    ("exchanged", exchanged::all),
    ("operands", operands::all),
    ("temporaries", temporaries::all),
    ("parts", parts::all),
    ("loops", loops::all),
    ("iterators", iterators::all),
    ("borrows", borrows::all),
    ("bodies", bodies::all),
    ("rewritten", rewritten::all),
    ("values", values::all),
    ("collections", collections::all),
    ("structs", structs::all),
    ("enums", enums::all),
    ("shapes", shapes::all),
    ("forms", forms::all),
    ("nested", nested::all),
    ("attributes", attributes::all),
    ("refused", refused::all),
    ("branches", branches::all),
    ("early_exits", early_exits::all),
    ("narrowed", narrowed::all),
    ("blocks", blocks::all),
    ("fan_out", fan_out::all),
    ("several", several::all),
    ("inline", inline::all),
    ("helpers", helpers::all),
    ("again", again::all),
    ("kin", kin::all),
    ("handles", handles::all),
    ("held", held::all),
    ("wire", wire::all),
    ("options", options::all),
    ("parameters", parameters::all),
    ("endings", endings::all),
    ("undone", undone::all),
    ("exposed", exposed::all),
    ("answered", answered::all),
];

/// Those with a program for each store. They are the same edits.
const BY_STORE: &[Group] = &[("transactions", transactions::on_memory::all)];

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let on_file = GROUPS.iter().map(|(name, edits)| {
            Trial::test(format!("sqlite::{name}"), move || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("shop.db").display());
                run(all(url, edits()))
            })
        });
        let on_server = GROUPS.iter().map(|(name, edits)| {
            trial(format!("postgres::{name}"), cluster, move |cluster| {
                run(async move {
                    let database = cluster.database(EMPTY).await?;
                    all(database.url().to_owned(), edits()).await
                })
            })
        });
        let documented =
            Trial::test("documented", || documented::check(&[GROUPS, BY_STORE].concat()));
        let with_books_in_memory = transactions::on_memory::TESTS.iter().map(|(name, test)| {
            Trial::test(format!("memory::{name}"), move || {
                let store = MemoryStore::new();
                let test = test(store.clone(), Books::Memory(store));
                if *name == "queued" { run_on_virtual_time(test) } else { run(test) }
            })
        });
        let with_books_on_file = transactions::on_sqlite::TESTS.iter().map(|(name, test)| {
            Trial::test(format!("sqlite::{name}"), move || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("shop.db").display());
                run(async move { test(connect(&url).await?, Books::new(&url).await).await })
            })
        });
        let with_books_on_server = transactions::on_postgres::TESTS.iter().map(|(name, test)| {
            trial(format!("postgres::{name}"), cluster, move |cluster| {
                run(async move {
                    let database = cluster.database(EMPTY).await?;
                    let url = database.url();
                    test(connect(url).await?, Books::new(url).await).await
                })
            })
        });
        let with_books = with_books_in_memory.chain(with_books_on_file).chain(with_books_on_server);
        let on_databases = [
            ("retried", (|store| Box::pin(retried::check(store))) as OnStore),
            ("scheduled", |store| Box::pin(scheduled::check(store))),
        ];
        let on_databases = on_databases.into_iter().flat_map(|(name, test)| {
            let on_file = Trial::test(format!("sqlite::{name}"), move || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("shop.db").display());
                run(async move { test(connect(&url).await?).await })
            });
            let on_server = trial(format!("postgres::{name}"), cluster, move |cluster| {
                run(async move {
                    let database = cluster.database(EMPTY).await?;
                    test(connect(database.url()).await?).await
                })
            });
            [on_file, on_server]
        });
        let schedules_in_memory =
            Trial::test("memory::scheduled", || run(scheduled::check(MemoryStore::new())));
        let others = [documented, schedules_in_memory].into_iter().chain(on_databases);
        on_file.chain(on_server).chain(with_books).chain(others).collect()
    })
}

async fn all(url: String, edits: Vec<Edit>) -> Result<(), Failed> {
    all_in(connect(&url).await?, edits).await
}

async fn all_in(store: Arc<dyn Store>, edits: Vec<Edit>) -> Result<(), Failed> {
    let mut failures = Vec::new();
    for edit in &edits {
        failures.extend(drive::drive(&store, edit).await);
    }
    match &failures[..] {
        [] => Ok(()),
        failures => {
            Err(format!("{} cells are wrong:\n{}", failures.len(), failures.join("\n")).into())
        }
    }
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

fn run_on_virtual_time(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build()?.block_on(test)
}
