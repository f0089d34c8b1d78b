//! A proxy for the server that can drop the connection at a chosen message, or stop forwarding.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// See the [module documentation](self). Connections end with it.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    /// Where new connections lead.
    socket: Mutex<PathBuf>,
    /// Identifies the next connection to cut.
    cut: Mutex<Option<Cut>>,
    /// The number of connections that were cut.
    cuts: watch::Sender<usize>,
    /// The content of a message that shall arrive late, after its sender is gone.
    late: Mutex<Option<Vec<u8>>>,
    /// That message, and its connection to the server.
    kept: Mutex<Option<(Vec<u8>, OwnedWriteHalf)>>,
    /// The content of the message at which the proxy goes silent.
    silence_at: Mutex<Option<Vec<u8>>>,
    /// Connections before this number forward nothing.
    silent_before: watch::Sender<usize>,
    /// The number of the next connection.
    next: AtomicUsize,
    /// The number of connections that were closed because there was no server.
    refused: AtomicUsize,
}

/// The response that gets lost. The request has taken effect by then.
#[derive(Debug)]
pub(crate) enum Cut {
    /// The response to the message that contains this.
    AnswerTo(Vec<u8>),
    /// The response that contains this.
    AnswerWith(Vec<u8>),
}

impl Proxy {
    /// Listens on a new port and forwards everything to the server at `socket`.
    pub(crate) async fn start(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let shared = Arc::new(Shared {
            socket: Mutex::new(socket.to_owned()),
            cut: Mutex::default(),
            cuts: watch::channel(0).0,
            late: Mutex::default(),
            kept: Mutex::default(),
            silence_at: Mutex::default(),
            silent_before: watch::channel(0).0,
            next: AtomicUsize::new(1),
            refused: AtomicUsize::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { port, shared, accepting }
    }

    /// The URL of the same database through the proxy.
    pub(crate) fn url(&self, url: &str) -> String {
        let (path, user) = url.split_once('?').expect("it has parameters");
        let user = user.split('&').next().expect("the user comes first");
        let database = path.trim_start_matches("postgres:///");
        format!("postgres://127.0.0.1:{}/{database}?{user}", self.port)
    }

    /// Connects new connections to another server, like an address after a failover.
    pub(crate) fn lead_to(&self, socket: &Path) {
        socket.clone_into(&mut lock(&self.shared.socket));
    }

    /// The number of connections that were closed because there was no server.
    pub(crate) fn refused(&self) -> usize {
        self.shared.refused.load(Ordering::SeqCst)
    }

    /// Loses one response.
    pub(crate) fn cut(&self, cut: Cut) {
        *lock(&self.shared.cut) = Some(cut);
    }

    /// Cuts the connection that sends a message with this content, and keeps the message.
    pub(crate) fn keep(&self, wanted: Vec<u8>) {
        *lock(&self.shared.late) = Some(wanted);
    }

    /// Forwards the kept message, like a slow network. Returns its connection, which must be kept until the message has
    /// taken effect.
    pub(crate) async fn pass_on(&self) -> OwnedWriteHalf {
        let (message, mut way) = lock(&self.shared.kept).take().expect("a message was kept");
        way.write_all(&message).await.expect("the server listens");
        way
    }

    /// Waits until this many responses were lost.
    pub(crate) async fn has_cut(&self, count: usize) {
        let mut cuts = self.shared.cuts.subscribe();
        cuts.wait_for(|cuts| *cuts >= count).await.expect("the sender is here");
    }

    /// Stops forwarding on the existing connections; they stay open.
    pub(crate) fn silence_the_old(&self) {
        self.shared.silent_before.send_replace(self.shared.next.load(Ordering::SeqCst));
    }

    /// Stops forwarding on all connections, old and new, at the message that contains this.
    pub(crate) fn silence_at(&self, wanted: &[u8]) {
        *lock(&self.shared.silence_at) = Some(wanted.to_owned());
    }

    /// Waits until the proxy is silent.
    pub(crate) async fn is_silent(&self) {
        let mut silent_before = self.shared.silent_before.subscribe();
        silent_before.wait_for(|before| *before == usize::MAX).await.expect("the sender is here");
    }

    /// Forwards the delayed data and everything that follows.
    pub(crate) fn resume(&self) {
        self.shared.silent_before.send_replace(0);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts connections. Their tasks end with this one.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let number = shared.next.fetch_add(1, Ordering::SeqCst);
        connections.spawn(connect(number, client, Arc::clone(&shared)));
    }
}

async fn connect(number: usize, client: TcpStream, shared: Arc<Shared>) {
    // If the server is down, the accepted connection is closed, as load balancers do.
    let socket = lock(&shared.socket).clone();
    let Ok(server) = UnixStream::connect(socket).await else {
        shared.refused.fetch_add(1, Ordering::SeqCst);
        return;
    };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let is_doomed = watch::channel(false).0;
    let requests = async {
        let (mut seen, mut sent) = (Vec::new(), Vec::new());
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
            let is_meant = |cut: &Cut| matches!(cut, Cut::AnswerTo(it) if holds(&mut seen, &buffer[..count], it));
            is_doomed.send_if_modified(|doomed| {
                *doomed |= shared.take_cut(is_meant);
                *doomed
            });
            if shared.is_late(&buffer[..count]) {
                *lock(&shared.kept) = Some((buffer[..count].to_vec(), to_server));
                shared.cuts.send_modify(|cuts| *cuts += 1);
                return;
            }
            shared.go_silent(|wanted| holds(&mut sent, &buffer[..count], wanted));
            shared.until_not_silent(number).await;
            if to_server.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    };
    let answers = async {
        let mut seen = Vec::new();
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
            let is_meant = |cut: &Cut| matches!(cut, Cut::AnswerWith(it) if holds(&mut seen, &buffer[..count], it));
            if *is_doomed.borrow() || shared.take_cut(is_meant) {
                shared.cuts.send_modify(|cuts| *cuts += 1);
                return;
            }
            shared.until_not_silent(number).await;
            if to_client.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = requests => {}
        () = answers => {}
    }
}

impl Shared {
    fn take_cut(&self, is_meant: impl FnOnce(&Cut) -> bool) -> bool {
        let mut cut = lock(&self.cut);
        let taken = cut.as_ref().is_some_and(is_meant);
        if taken {
            *cut = None;
        }
        taken
    }

    /// Whether this message shall arrive late.
    fn is_late(&self, message: &[u8]) -> bool {
        let mut late = lock(&self.late);
        let is_late = late.as_deref().is_some_and(|wanted| holds(&mut Vec::new(), message, wanted));
        if is_late {
            *late = None;
        }
        is_late
    }

    fn go_silent(&self, is_meant: impl FnOnce(&[u8]) -> bool) {
        let mut silence_at = lock(&self.silence_at);
        if silence_at.as_deref().is_some_and(is_meant) {
            *silence_at = None;
            self.silent_before.send_replace(usize::MAX);
        }
    }

    async fn until_not_silent(&self, number: usize) {
        let mut silent_before = self.silent_before.subscribe();
        let _ = silent_before.wait_for(|before| number >= *before).await;
    }
}

/// Locked data is always consistent, so a poisoned lock is harmless.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the data so far contains `wanted`; keeps the end that may be its beginning.
fn holds(seen: &mut Vec<u8>, more: &[u8], wanted: &[u8]) -> bool {
    seen.extend_from_slice(more);
    let found = seen.windows(wanted.len()).any(|window| window == wanted);
    seen.drain(..seen.len().saturating_sub(wanted.len()));
    found
}
