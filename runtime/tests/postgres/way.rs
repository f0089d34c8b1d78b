//! Proxies to a server.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A proxy that can be closed: then it accepts connections and closes them at once, like a load balancer in front of a
/// server that is being replaced.
pub(crate) struct Way {
    /// The database's URL through the proxy.
    pub(crate) url: String,
    pub(crate) is_open: Arc<AtomicBool>,
    /// Whether the proxy drops all data, as if the server's host had lost its power.
    pub(crate) is_silent: Arc<AtomicBool>,
    /// The socket of the server that new connections lead to.
    pub(crate) server: Arc<Mutex<PathBuf>>,
    /// The number of connections that were closed at once.
    pub(crate) hung_up: Arc<AtomicUsize>,
}

impl Way {
    /// Ends with the process.
    pub(crate) fn to(url: &str) -> Self {
        let (listener, url, socket) = stand_before(url);
        let way = Self {
            url,
            is_open: Arc::new(AtomicBool::new(true)),
            is_silent: Arc::default(),
            server: Arc::new(Mutex::new(socket)),
            hung_up: Arc::default(),
        };
        let (is_open, hung_up) = (Arc::clone(&way.is_open), Arc::clone(&way.hung_up));
        let (is_silent, server) = (Arc::clone(&way.is_silent), Arc::clone(&way.server));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if !is_open.load(Ordering::SeqCst) {
                    hung_up.fetch_add(1, Ordering::SeqCst);
                    continue;
                }
                let socket = server.lock().expect("no panic").clone();
                let server = UnixStream::connect(socket).expect("the server is there");
                let (from_client, mut to_server) =
                    (client.try_clone().expect("ok"), server.try_clone().expect("ok"));
                let mut from_client = Gate { from: from_client, is_shut: Arc::clone(&is_silent) };
                std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
                let (mut from_server, mut to_client) = (server, client);
                std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
            }
        });
        way
    }
}

/// Blocks all data once it is shut.
struct Gate {
    from: TcpStream,
    is_shut: Arc<AtomicBool>,
}

impl Read for Gate {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(buffer)?;
        while self.is_shut.load(Ordering::SeqCst) {
            std::thread::park();
        }
        Ok(read)
    }
}

/// Opens a local port for a proxy. Returns the listener, the database's URL through it, and the server's own socket.
pub(crate) fn stand_before(url: &str) -> (TcpListener, String, PathBuf) {
    let (path, parameters) = url.split_once('?').expect("it has parameters");
    let folder = parameters.split('&').find_map(|it| it.strip_prefix("host=")).expect("a folder");
    let database = path.rsplit('/').next().expect("it has a name");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let url = format!("postgres://piton@{address}/{database}");
    (listener, url, Path::new(folder).join(".s.PGSQL.5432"))
}
