//! Connections that are cut, and ways that are closed.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use piton::model::StepNo;
use piton::prelude::*;
use piton::store::{CommitOutcome, CommitStep, Disposition};

use crate::fixture::{PATIENCE, execute, fails_with, new_run, new_worker, open, start};

pub(crate) async fn connections_that_are_cut_are_made_again(url: String) {
    let (here, there) = (open(&url).await, open(&url).await);
    let worker = here.register_worker(new_worker()).await.expect("a worker can register");
    let run_id = start(&*here, Some(worker)).await;
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE application_name = 'piton' AND datname = current_database()";
    execute(&url, cut).await;
    let keep = Disposition::Keep { snapshot: Vec::new(), state: "one".into() };
    let step = || CommitStep::new(run_id, StepNo(0), keep.clone());
    let started = Instant::now();
    let outcome = loop {
        match here.commit_steps(worker, &[&step()]).await {
            Ok(outcome) => break outcome,
            Err(error) => assert!(error.is_retryable() && started.elapsed() < PATIENCE, "{error}"),
        }
    };
    assert_eq!(outcome, [CommitOutcome::Committed]);
    // Both hear of each other again, which also means that the lock has been taken again.
    let heard = async {
        loop {
            let due = there.hub().due();
            tokio::pin!(due);
            if let Err(error) = here.start_runs(vec![new_run(None)]).await {
                assert!(error.is_retryable(), "{error}");
            }
            if tokio::time::timeout(Duration::from_millis(50), due).await.is_ok() {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, heard).await.expect("in time");
    here.renew_lease(worker, PATIENCE).await.expect("the worker lives on");
}

/// A way to the server that can be closed: then it takes connections and hangs up without a word, as what
/// stands before a server does that is being replaced.
struct Way {
    address: SocketAddr,
    is_open: Arc<AtomicBool>,
    hung_up: Arc<AtomicUsize>,
}

impl Way {
    /// Ends with the process.
    fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let (is_open, hung_up) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
        let (way_is_open, count) = (Arc::clone(&is_open), Arc::clone(&hung_up));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if !way_is_open.load(Ordering::SeqCst) {
                    count.fetch_add(1, Ordering::SeqCst);
                    continue;
                }
                let server = UnixStream::connect(&socket).expect("the server is there");
                let (mut from_client, mut to_server) =
                    (client.try_clone().expect("ok"), server.try_clone().expect("ok"));
                std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
                let (mut from_server, mut to_client) = (server, client);
                std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
            }
        });
        Self { address, is_open, hung_up }
    }
}

pub(crate) async fn a_look_outlasts_a_way_without_a_server(url: String) {
    let (path, parameters) = url.split_once('?').expect("it has parameters");
    let socket = parameters.split('&').find_map(|it| it.strip_prefix("host=")).expect("a folder");
    let way = Way::to(Path::new(socket).join(".s.PGSQL.5432"));
    let database = path.rsplit('/').next().expect("it has a name");
    let url = format!("postgres://piton@{}/{database}", way.address);
    let client = Client::connect(&url).await.expect("the way is open");
    let run =
        client.start(fails_with("later".into())).id("there").await.expect("it can be started");
    way.is_open.store(false, Ordering::SeqCst);
    let looks = tokio::spawn({
        let client = client.clone();
        async move { client.find("there").await }
    });
    while way.hung_up.load(Ordering::SeqCst) < 2 && !looks.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    way.is_open.store(true, Ordering::SeqCst);
    let found = looks.await.expect("no panic").expect("it is asked for again");
    assert_eq!(found.map(|found| found.run_id), Some(run.run_id()));
    client.close().await;
}
