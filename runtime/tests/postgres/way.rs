//! Ways to a server: over the network, and with something on them.

use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A way to the server that can be closed: then it takes connections and hangs up without a word, as what
/// stands before a server does that is being replaced.
pub(crate) struct Way {
    /// Where the database is on this way.
    pub(crate) url: String,
    pub(crate) is_open: Arc<AtomicBool>,
    /// How many clients were hung up on.
    pub(crate) hung_up: Arc<AtomicUsize>,
}

impl Way {
    /// Ends with the process.
    pub(crate) fn to(url: &str) -> Self {
        let (listener, url, socket) = stand_before(url);
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
        Self { url, is_open, hung_up }
    }
}

/// A port of this machine, where the database of `url` is when whoever listens there says so, and the
/// server's own socket.
pub(crate) fn stand_before(url: &str) -> (TcpListener, String, PathBuf) {
    let (path, parameters) = url.split_once('?').expect("it has parameters");
    let folder = parameters.split('&').find_map(|it| it.strip_prefix("host=")).expect("a folder");
    let database = path.rsplit('/').next().expect("it has a name");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let url = format!("postgres://piton@{address}/{database}");
    (listener, url, Path::new(folder).join(".s.PGSQL.5432"))
}
