//! What is refused.

use super::{Group, Refused};
use crate::diagnostics::rules::Rule;

// The first group that fits counts, so exact paths come before the modules they are in.
pub(super) const PATHS: &[Group] = &[
    group(
        Rule::CLOCK,
        &[
            "std::time::Instant::now",
            "std::time::SystemTime::now",
            "tokio::time::Instant::now",
            "chrono::Utc::now",
            "chrono::Local::now",
            "chrono::offset::Utc::now",
            "chrono::offset::Local::now",
            "jiff::Timestamp::now",
            "jiff::Zoned::now",
            "piton::model::Timestamp::now",
            "piton::Timestamp::now",
            "time::OffsetDateTime::now_utc",
            "time::OffsetDateTime::now_local",
            "time::UtcDateTime::now",
        ],
        "reads the clock of the machine",
        "use `cx.now()`, the time at which the step began",
    ),
    group(
        Rule::RANDOM,
        &["uuid::Uuid::new_v4", "uuid::Uuid::now_v7", "uuid::Uuid::now_v6", "uuid::Uuid::now_v1"],
        "makes a random id",
        "use `cx.uuid()`",
    ),
    group(
        Rule::RANDOM,
        &["ulid::Ulid::new", "cuid2::create_id", "nanoid::nanoid"],
        "makes a random id",
        "use `cx.uuid()`, or make one from `cx.random()`",
    ),
    group(
        Rule::RANDOM,
        &[
            "rand::random",
            "rand::random_bool",
            "rand::random_iter",
            "rand::random_range",
            "rand::random_ratio",
            "rand::fill",
            "rand::rng",
            "rand::thread_rng",
            "rand::make_rng",
            "rand::rngs::OsRng",
            "rand::rngs::OsRng::*",
            "rand::rngs::SysRng",
            "rand::rngs::SysRng::*",
            "rand::rngs::ThreadRng::*",
            "rand::rngs::_::from_entropy",
            "rand::rngs::_::from_os_rng",
            "rand_chacha::_::from_entropy",
            "rand_chacha::_::from_os_rng",
            "getrandom::_",
            "std::collections::hash_map::RandomState::new",
            "std::hash::RandomState::new",
        ],
        "draws random numbers from the system",
        "use `cx.random()`, if need be as the seed of a generator",
    ),
    group(
        Rule::RANDOM,
        &["fastrand::_", "fastrand::Rng::new"],
        "draws random numbers from the system",
        "use `cx.random()`, if need be as the seed of `fastrand::Rng::with_seed`",
    ),
    group(
        Rule::PROCESSES,
        &["std::process::Command::*", "tokio::process::*"],
        "starts a process",
        ACTIVITY,
    ),
    group(
        Rule::PROCESSES,
        &["std::process::exit", "std::process::abort"],
        "ends the process with every run in it",
        "return from the workflow; `bail!` returns an error",
    ),
    group(
        Rule::ENVIRONMENT,
        &[
            "std::env::_",
            "std::process::id",
            "std::thread::available_parallelism",
            "num_cpus::_",
            "hostname::_",
            "jiff::tz::TimeZone::system",
            "dotenvy::_",
        ],
        "depends on the process that happens to run it",
        ARGUMENT,
    ),
    group(
        Rule::FILES,
        &["std::fs::*", "tokio::fs::*", "async_std::fs::*", "fs_err::*", "tempfile::*"],
        "works on files",
        ACTIVITY,
    ),
    group(
        Rule::FILES,
        &[
            "std::path::_::canonicalize",
            "std::path::_::exists",
            "std::path::_::is_dir",
            "std::path::_::is_file",
            "std::path::_::is_symlink",
            "std::path::_::metadata",
            "std::path::_::read_dir",
            "std::path::_::read_link",
            "std::path::_::symlink_metadata",
            "std::path::_::try_exists",
        ],
        "looks at files",
        ACTIVITY,
    ),
    group(
        Rule::NETWORK,
        &[
            "std::net::TcpListener::*",
            "std::net::TcpStream::*",
            "std::net::UdpSocket::*",
            "std::os::unix::net::*",
            "tokio::net::*",
            "reqwest::get",
            "reqwest::Client::*",
            "reqwest::ClientBuilder::*",
            "reqwest::blocking::*",
            "ureq::_",
            "ureq::Agent::*",
            "hyper::client::*",
            "hyper::Client::*",
        ],
        "uses the network",
        ACTIVITY,
    ),
    group(
        Rule::NETWORK,
        &[
            "sqlx::query",
            "sqlx::query_as",
            "sqlx::query_scalar",
            "sqlx::query_with",
            "sqlx::raw_sql",
            "sqlx::_::connect",
        ],
        "talks to a database",
        ACTIVITY,
    ),
    group(
        Rule::NOT_DURABLE,
        &[
            "tokio::time::sleep",
            "async_std::task::sleep",
            "smol::Timer::after",
            "async_io::Timer::after",
            "futures_timer::Delay::new",
        ],
        "is a timer that is lost when the process ends",
        "write `cx.sleep(duration).await`",
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::time::sleep_until", "smol::Timer::at"],
        "is a timer that is lost when the process ends",
        "write `cx.sleep_until(deadline).await`",
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::time::timeout", "tokio::time::timeout_at", "async_std::future::timeout"],
        "is a timer that is lost when the process ends",
        TIME_OUT,
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::time::interval", "tokio::time::interval_at"],
        "is a timer that is lost when the process ends",
        "write a `loop` with `cx.sleep(period).await` in it",
    ),
    group(
        Rule::THREADS,
        &["std::thread::sleep"],
        "holds up the worker",
        "write `cx.sleep(duration).await`",
    ),
    group(
        Rule::THREADS,
        &["std::thread::yield_now", "tokio::task::yield_now"],
        "leaves the rest of the step for later",
        "remove it: at every await of the workflow others have their turn",
    ),
    group(
        Rule::THREADS,
        &["std::thread::current", "std::thread::panicking"],
        "depends on the thread, and the next step may be on another",
        "keep what the run needs in its locals; `cx.run_id()` tells runs apart",
    ),
    group(
        Rule::THREADS,
        &["std::thread::_", "std::thread::Builder::*", "rayon::*"],
        "works with threads that end with the process",
        SIDE_BY_SIDE,
    ),
    group(
        Rule::THREADS,
        &[
            "tokio::spawn",
            "tokio::task::_",
            "tokio::task::JoinSet::*",
            "tokio::task::LocalSet::*",
            "tokio::runtime::*",
            "async_std::task::_",
            "smol::spawn",
            "futures::executor::_",
        ],
        "runs a task that ends with the process",
        SIDE_BY_SIDE,
    ),
    group(
        Rule::NOT_DURABLE,
        &["futures::future::join_all", "futures_util::future::join_all"],
        "makes a future that cannot be saved",
        "use piton's `join_all`",
    ),
    group(
        Rule::NOT_DURABLE,
        &["futures::future::_", "futures_util::future::_", "std::future::_"],
        "makes a future that cannot be saved",
        "await durable operations one by one, or with `join!`, `try_join!` and `select!` of piton",
    ),
    group(
        Rule::NOT_DURABLE,
        &["futures::stream::_", "futures_util::stream::_", "tokio_stream::_"],
        "makes a stream that cannot be saved",
        "write a loop that awaits one operation at a time",
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::sync::_::channel", "tokio::sync::_::new", "tokio::signal::*"],
        "serves tasks of one process",
        "a run has no tasks: keep data in its locals, and let others reach it with a signal, \
         `cx.signal::<S>()`",
    ),
    group(
        Rule::SHARED_STATE,
        &[
            "std::sync::LazyLock::force",
            "std::cell::LazyCell::force",
            "once_cell::sync::Lazy::force",
        ],
        "reads a value that each process computes for itself",
        ARGUMENT,
    ),
    group(
        Rule::OUTPUT,
        &["std::io::stdout", "std::io::stderr"],
        "writes to the output of the process",
        "log with `tracing::info!`, or write in an activity",
    ),
    group(
        Rule::OUTPUT,
        &["std::io::stdin"],
        "reads the input of the process",
        "wait for a signal: `cx.signal::<S>().await`",
    ),
    group(
        Rule::UNORDERED_MAP,
        &[
            "std::collections::HashMap::new",
            "std::collections::HashMap::default",
            "std::collections::HashMap::from",
            "std::collections::HashMap::from_iter",
            "std::collections::HashMap::with_capacity",
            "std::collections::hash_map::HashMap::_",
            "hashbrown::HashMap::_",
        ],
        "makes a map whose order is different in every process",
        "use `BTreeMap`",
    ),
    group(
        Rule::UNORDERED_MAP,
        &[
            "std::collections::HashSet::new",
            "std::collections::HashSet::default",
            "std::collections::HashSet::from",
            "std::collections::HashSet::from_iter",
            "std::collections::HashSet::with_capacity",
            "std::collections::hash_set::HashSet::_",
            "hashbrown::HashSet::_",
        ],
        "makes a set whose order is different in every process",
        "use `BTreeSet`",
    ),
];

pub(super) const MACROS: &[Group] = &[
    group(
        Rule::OUTPUT,
        &[
            "println",
            "eprintln",
            "print",
            "eprint",
            "std::println",
            "std::eprintln",
            "std::print",
            "std::eprint",
        ],
        "writes to the output of the process",
        "log with `tracing::info!`, or write in an activity",
    ),
    group(
        Rule::OUTPUT,
        &["dbg", "std::dbg"],
        "writes to the output of the process",
        "log with `tracing::debug!(?value)`",
    ),
    group(
        Rule::INCLUDE,
        &["include", "std::include"],
        "brings in code that is not compiled into the machine",
        "write the code here, or in a `#[workflow]` or `#[deterministic]` function that is called \
         here",
    ),
    group(
        Rule::THREAD_LOCAL,
        &["thread_local", "std::thread_local", "tokio::task_local"],
        "keeps a value in the process and not in the run",
        "keep the value in a local of the workflow",
    ),
    group(
        Rule::SHARED_STATE,
        &["lazy_static", "lazy_static::lazy_static"],
        "keeps a value in the process and not in the run",
        "use a `const`, or pass the value as an argument",
    ),
    group(
        Rule::RANDOM,
        &["nanoid", "nanoid::nanoid"],
        "makes a random id",
        "use `cx.uuid()`, or make one from `cx.random()`",
    ),
    group(
        Rule::NETWORK,
        &[
            "sqlx::query",
            "sqlx::query_as",
            "sqlx::query_scalar",
            "sqlx::query_file",
            "sqlx::query_file_as",
        ],
        "talks to a database",
        ACTIVITY,
    ),
    group(
        Rule::NOT_DURABLE,
        &[
            "tokio::select",
            "futures::select",
            "futures::select_biased",
            "futures_util::select",
            "futures_util::select_biased",
        ],
        "races futures that cannot be saved",
        "use piton's `select!` (`use piton::select;`)",
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::join", "futures::join", "futures_util::join"],
        "awaits futures that cannot be saved",
        "use piton's `join!` (`use piton::join;`)",
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::try_join", "futures::try_join", "futures_util::try_join"],
        "awaits futures that cannot be saved",
        "use piton's `try_join!` (`use piton::try_join;`)",
    ),
    group(
        Rule::NOT_DURABLE,
        &["tokio::pin", "futures::pin_mut", "pin_utils::pin_mut", "std::pin::pin"],
        "pins a future, which cannot be saved",
        "await the operation itself, or let `select!` of piton do so",
    ),
];

const fn group(
    rule: Rule,
    paths: &'static [&'static str],
    what: &'static str,
    help: &'static str,
) -> Group {
    Group { paths, refused: Refused { rule, what, help } }
}

pub(in crate::check) const ACTIVITY: &str = "move it into an `#[activity]` and await that";
const ARGUMENT: &str =
    "read it where the workflow is started and pass it as an argument, or read it in an activity";
const SIDE_BY_SIDE: &str = "await calls side by side with `join!`, or a list of them with piton's \
                            `join_all`; let other work be an `#[activity]`";
const TIME_OUT: &str =
    "use `cx.timeout(limit, operation).await`, which takes an `async` block, too";
