//! A process that is stopped while it receives a long response: the server cannot send the rest, and keeps the
//! statement's locks until its timeout.

use std::io::{Read as _, copy};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use piton::store::{ClaimRequest, NewRun, StoreOptions, connect};
use piton_postgres_cluster::Cluster;
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use crate::fixture::{PATIENCE, new_run, new_worker};

/// Far more than the buffers of the network hold.
const LENGTH: usize = 32 << 20;

/// The proxy stops reading a response after this many bytes.
const READ: u64 = 1 << 20;

/// Starts a TCP proxy on which long responses stop. Ends with the process. Returns its port.
fn start_way(server: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let mut to_server = TcpStream::connect(("127.0.0.1", server)).expect("it is there");
            let from_server = to_server.try_clone().expect("ok");
            let mut to_client = client.try_clone().expect("ok");
            std::thread::spawn(move || copy(&mut client, &mut to_server));
            std::thread::spawn(move || {
                let read = copy(&mut (&from_server).take(READ), &mut to_client)?;
                if read == READ {
                    // Both sockets stay open, like those of a stopped process.
                    loop {
                        std::thread::park();
                    }
                }
                Ok::<_, std::io::Error>(())
            });
        }
    });
    port
}

/// Fencing the worker waits for its claim.
pub(crate) async fn a_process_stopped_in_a_long_response_delays_others_briefly(_: String) {
    // Another process may take the port before the server does, which then does not start.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = port.expect("a port is free").port();
    let settings = format!("listen_addresses = '127.0.0.1'\nport = {port}\n");
    let _cluster = Cluster::start_with(&settings, &[]).expect("it starts");
    let url = |port: u16| format!("postgres://piton@127.0.0.1:{port}/postgres");
    let other = connect(&url(port)).await.expect("the server is there");
    let options = StoreOptions::default().answer_timeout(Duration::from_secs(2));
    let store = options.connect(&url(start_way(port))).await.expect("the way is open");
    let worker = store.register_worker(new_worker()).await.expect("a worker can register");
    let run = NewRun { snapshot: vec![7; LENGTH], ..new_run(None) };
    other.start_runs(vec![run]).await.expect("runs can be started");
    let claim = tokio::spawn(async move {
        let request = ClaimRequest { worker, workflows: &["order"], limit: 1, inbox_limit: 1 };
        let claimed = store.claim_runs(request).await;
        claimed.expect_err("the answer does not come")
    });
    let sending = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'ClientWrite'";
    let mut observer = PgConnection::connect(&url(port)).await.expect("the server is there");
    while sqlx::query_scalar::<_, i64>(sending).fetch_one(&mut observer).await.expect("ok") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let fenced = timeout(PATIENCE, other.fence_workers(&[worker.worker_id])).await;
    fenced.expect("the server gives up").expect("it can be fenced");
    claim.await.expect("no panic");
}
