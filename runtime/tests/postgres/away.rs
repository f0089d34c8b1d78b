//! Calls to an unreachable server return an error soon, with the reason.

use std::net::TcpListener;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use piton::filter::{Column, Filter};
use piton::model::ActivityToken;
use piton::prelude::*;
use piton::store::DeadLetterFilter;
use piton_postgres_cluster::Cluster;
use serde_json::json;
use sqlx::AssertSqlSafe;

use crate::fixture::{execute, fails_with};
use crate::way::Way;

/// Two consecutive timeouts of five seconds. A call waits for one, and has as much again for a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// Makes calls of every kind at the same time. Returns the results.
async fn ask_everything(
    client: &Client,
    run: &RunHandle<fails_with>,
) -> Vec<(&'static str, String)> {
    fn told<T, E: std::error::Error + Send + Sync + 'static>(answer: Result<T, E>) -> String {
        let error = answer.err().expect("there is no server");
        format!("{:#}", piton::Error::from(error))
    }
    let (filter, letters) = (Filter::all(), DeadLetterFilter::default());
    let null = json!(null);
    let named = client.by_id("there");
    let token = format!("piton1-{}-0-1", run.run_id().as_uuid().simple());
    let token: ActivityToken = token.parse().expect("a token looks so");
    let asked: Vec<(&str, BoxFuture<'_, String>)> = vec![
        ("find", client.find("there").map(told).boxed()),
        ("run", client.run::<fails_with>("there").map(told).boxed()),
        ("list", client.list_runs(&filter).into_future().map(told).boxed()),
        ("count", client.count(&filter).into_future().map(told).boxed()),
        ("groups", client.count(&filter).group_by(Column::Status).into_future().map(told).boxed()),
        ("inspect", client.inspect("there").map(told).boxed()),
        ("activities", run.activities().map(told).boxed()),
        ("exposed", run.exposed().map(told).boxed()),
        ("kin", client.kin("there").map(told).boxed()),
        ("history", client.history(run.run_id()).map(told).boxed()),
        ("definitions", client.list_definitions(None).map(told).boxed()),
        ("dead letters", client.dead_letters(&letters, 10).map(told).boxed()),
        ("redeliver", client.redeliver_dead_letters(&[]).map(told).boxed()),
        ("start by name", client.start_json("x", null.clone()).into_future().map(told).boxed()),
        ("update", named.update("hello", &null).into_future().map(told).boxed()),
        ("query", named.query("hello", &null).map(told).boxed()),
        ("signal by name", named.signal("hello", &null).into_future().map(told).boxed()),
        ("unblock", client.unblock(run.run_id()).map(told).boxed()),
        ("status", run.status().map(told).boxed()),
        ("terminate", run.terminate("enough").map(told).boxed()),
        ("cancel", run.cancel("enough").dedup_key("c").into_future().map(told).boxed()),
        ("start", client.start(fails_with("x".into())).into_future().map(told).boxed()),
        ("signal", client.signal_json("there", "hello", &null).into_future().map(told).boxed()),
        (
            "signal by run id",
            client
                .signal_json(run.run_id(), "hello", &null)
                .dedup_key("k")
                .into_future()
                .map(told)
                .boxed(),
        ),
        ("complete", client.complete_activity_json(token, &null).map(told).boxed()),
        ("heartbeat", client.heartbeat_activity(token, &null).map(told).boxed()),
    ];
    let began = Instant::now();
    let (whats, answers): (Vec<_>, Vec<_>) = asked.into_iter().unzip();
    let answers = join_all(answers).await;
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    whats.into_iter().zip(answers).collect()
}

pub(crate) async fn calls_to_a_server_that_refuses_connections_fail_soon(_: String) {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.expect("a port is free").port();
    let settings = format!("listen_addresses = '127.0.0.1'\nport = {port}\n");
    let cluster = Cluster::start_with(&settings, &[]).expect("it starts");
    let url = format!("postgres://piton@127.0.0.1:{port}/postgres");
    let client = Client::connect(&url).await.expect("the server is there");
    let run =
        client.start(fails_with("later".into())).id("there").await.expect("it can be started");
    cluster.stop();
    for (what, answer) in ask_everything(&client, &run).await {
        assert!(answer.contains("refused"), "{what}: {answer}");
    }
    cluster.start_again();
    client.find("there").await.expect("the server is there").expect("so is the run");
}

pub(crate) async fn calls_to_a_silent_server_fail_soon(url: String) {
    let way = Way::to(&url);
    let client = Client::connect(&way.url).await.expect("the way is open");
    let run =
        client.start(fails_with("later".into())).id("there").await.expect("it can be started");
    way.is_silent.store(true, Ordering::SeqCst);
    for (what, answer) in ask_everything(&client, &run).await {
        assert!(answer.contains("the server does not answer"), "{what}: {answer}");
    }
}

/// The sockets of a stopped server stay open, and the system continues to accept connections for it.
pub(crate) async fn calls_to_a_stopped_server_fail_soon(_: String) {
    let cluster = Cluster::start().expect("it starts");
    let client = Client::connect(&cluster.url("postgres")).await.expect("the server is there");
    let run =
        client.start(fails_with("later".into())).id("there").await.expect("it can be started");
    let server = cluster.pid().to_string();
    stop_processes(&server);
    for (what, answer) in ask_everything(&client, &run).await {
        assert!(answer.contains("the server does not answer"), "{what}: {answer}");
    }
    signal("-CONT", &processes(&server, |_| true));
    client.find("there").await.expect("the server is there").expect("so is the run");
}

/// Stops the process and its children until none of them runs: a child may be started or end meanwhile.
fn stop_processes(parent: &str) {
    let runs = |state: &str| !matches!(state, "T" | "Z");
    loop {
        let pids = processes(parent, runs);
        if pids.is_empty() {
            return;
        }
        signal("-STOP", &pids);
    }
}

/// The ids of the process and of its children, as far as their states are accepted.
fn processes(parent: &str, is_accepted: impl Fn(&str) -> bool) -> Vec<String> {
    let arguments = ["-o", "pid=,state=", "-p", parent, "--ppid", parent];
    let listed = Command::new("ps").args(arguments).output().expect("it can be started");
    let listed = String::from_utf8(listed.stdout).expect("digits and letters");
    let rows = listed.lines().map(|line| line.trim().split_once(' ').expect("two columns"));
    rows.filter(|(_, state)| is_accepted(state.trim())).map(|(pid, _)| pid.to_owned()).collect()
}

/// Fails for those that have ended.
fn signal(name: &str, pids: &[String]) {
    Command::new("kill").arg(name).args(pids).output().expect("it can be started");
}

pub(crate) async fn the_error_of_a_server_that_refuses_connections_is_returned(url: String) {
    let client = Client::connect(&url).await.expect("the server is there");
    let (server, parameters) = url.split_once('?').expect("it has parameters");
    let (server, name) = server.rsplit_once('/').expect("it has a path");
    let elsewhere = format!("{server}/postgres?{parameters}");
    let let_in = |is_let_in: bool| {
        AssertSqlSafe(format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {is_let_in}"))
    };
    let cut = format!(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"
    );
    execute(&elsewhere, let_in(false)).await;
    execute(&elsewhere, AssertSqlSafe(cut)).await;
    let error = client.find("there").await.expect_err("nobody gets in");
    execute(&elsewhere, let_in(true)).await;
    let told = format!("{:#}", piton::Error::from(error));
    assert!(told.contains("not currently accepting connections"), "{told}");
}
