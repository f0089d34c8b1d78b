//! Connection poolers, which multiplex many client sessions over few server sessions.
//!
//! Most poolers here work in transaction mode. One gives each client a session, and drops the client's settings.

use std::io::{Error, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use piton::error::ConnectError;
use piton::store::connect;

use crate::fixture::execute;
use crate::way::stand_before;

/// The first message of a client that requests TLS.
const ASKS_FOR_TLS: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// The messages that authentication succeeded and the server is ready.
const COME_IN: [u8; 15] = [b'R', 0, 0, 0, 8, 0, 0, 0, 0, b'Z', 0, 0, 0, 5, b'I'];

/// The handling of prepared statements, which belong to a session.
#[derive(Clone, Copy)]
enum Statements {
    /// Not supported.
    Lost,
    /// Prepared again in each session that a client gets; simulated by giving each client its own session when it may
    /// use one.
    CarriedOver,
}

/// Starts a pooler in front of the server, which ends with the process. Returns the database's URL there.
fn start_pooler(url: &str, statements: Statements) -> String {
    let (listener, url, socket) = stand_before(url);
    std::thread::spawn(move || {
        let shared: [Session; 2] = Default::default();
        for client in listener.incoming().map_while(Result::ok) {
            let (socket, shared) = (socket.clone(), shared.clone());
            std::thread::spawn(move || serve(client, socket, shared, statements));
        }
    });
    url
}

/// A session of the server, opened when it is needed.
type Session = Arc<Mutex<Option<UnixStream>>>;

/// Ends when the client goes or the server does.
fn serve(
    mut client: TcpStream,
    socket: PathBuf,
    shared: [Session; 2],
    statements: Statements,
) -> Result<(), Error> {
    let mut first = read_startup(&mut client)?;
    while first == ASKS_FOR_TLS {
        client.write_all(b"N")?;
        first = read_startup(&mut client)?;
    }
    client.write_all(&COME_IN)?;
    let own = Session::default();
    for turn in 0.. {
        let mut asked = read_request(&mut client)?;
        let session = match (statements, asked[0]) {
            (Statements::CarriedOver, b'Q') => &shared[0],
            (Statements::CarriedOver, _) => &own,
            (Statements::Lost, _) => &shared[turn % 2],
        };
        let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = match session.take() {
            Some(server) => server,
            None => begin(&socket, &first)?,
        };
        loop {
            server.write_all(&asked)?;
            if pass_on_answers(&mut server, &mut client)? == b'I' {
                break;
            }
            // The transaction continues.
            asked = read_request(&mut client)?;
        }
        *session = Some(server);
    }
    Ok(())
}

fn begin(socket: &PathBuf, first: &[u8]) -> Result<UnixStream, Error> {
    let mut server = UnixStream::connect(socket)?;
    server.write_all(first)?;
    pass_on_answers(&mut server, &mut std::io::sink())?;
    Ok(server)
}

/// Reads messages of the client up to the one after which it waits for a response.
fn read_request(client: &mut TcpStream) -> Result<Vec<u8>, Error> {
    let mut request = Vec::new();
    loop {
        let message = read_message(client)?;
        request.extend_from_slice(&message);
        match message[0] {
            b'Q' | b'S' => return Ok(request),
            b'X' => return Err(Error::other("the client goes")),
            _ => {}
        }
    }
}

/// Forwards responses until the server is ready for the next request. Returns whether it is in a transaction.
fn pass_on_answers(server: &mut UnixStream, client: &mut impl Write) -> Result<u8, Error> {
    loop {
        let message = read_message(server)?;
        client.write_all(&message)?;
        if let [b'Z', .., state] = message[..] {
            return Ok(state);
        }
    }
}

fn read_message(from: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut kind = [0];
    from.read_exact(&mut kind)?;
    Ok([&kind[..], &read_startup(from)?].concat())
}

/// Reads the first message of a client, which has no type byte.
fn read_startup(from: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut message = length.to_vec();
    message.resize(u32::from_be_bytes(length) as usize, 0);
    from.read_exact(&mut message[4..])?;
    Ok(message)
}

async fn assert_refused(url: &str) {
    let error = connect(url).await.expect_err("sessions are not the client's own");
    assert!(
        matches!(&error, ConnectError::Unreachable { reason, .. } if reason.contains("pooler")),
        "{error:?}"
    );
}

pub(crate) async fn a_pooler_that_loses_statements_is_refused(url: String) {
    assert_refused(&start_pooler(&url, Statements::Lost)).await;
}

/// Otherwise everything would seem to work until two processes hold the same lock.
pub(crate) async fn a_pooler_that_carries_statements_over_is_refused(url: String) {
    assert_refused(&start_pooler(&url, Statements::CarriedOver)).await;
}

/// Starts a pooler that gives each client a session, but drops the client's settings.
fn start_without_settings(url: &str) -> String {
    let (listener, url, socket) = stand_before(url);
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let socket = socket.clone();
            std::thread::spawn(move || pass_on(client, &socket));
        }
    });
    url
}

fn pass_on(mut client: TcpStream, socket: &PathBuf) -> Result<(), Error> {
    let mut first = read_startup(&mut client)?;
    while first == ASKS_FOR_TLS {
        client.write_all(b"N")?;
        first = read_startup(&mut client)?;
    }
    let mut server = UnixStream::connect(socket)?;
    server.write_all(&without_options(&first))?;
    let (mut answers, mut told) = (server.try_clone()?, client.try_clone()?);
    std::thread::spawn(move || std::io::copy(&mut answers, &mut told));
    std::io::copy(&mut client, &mut server)?;
    server.shutdown(std::net::Shutdown::Both)
}

/// The first message has a length and a version, of four bytes each, then pairs of names and values.
fn without_options(first: &[u8]) -> Vec<u8> {
    let texts: Vec<&[u8]> = first[8..].split_inclusive(|byte| *byte == 0).collect();
    let (pairs, end) = texts.as_chunks::<2>();
    let kept = pairs.iter().filter(|[name, _]| *name != b"options\0").flatten();
    let kept = kept.chain(end).copied().collect::<Vec<_>>().concat();
    let length = u32::try_from(8 + kept.len()).expect("it is short");
    [&length.to_be_bytes(), &first[4..8], &kept].concat()
}

/// Acknowledged commits would not be durable, and only the user's administrator can change that.
pub(crate) async fn a_pooler_that_keeps_commits_from_being_durable_is_refused(url: String) {
    let pooler = start_without_settings(&url);
    // The log names missing settings that only make statements slower.
    connect(&pooler).await.expect("commits are durable").close().await;
    let too_early = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', \
        current_database()); END $$";
    execute(&url, too_early).await;
    let error = connect(&pooler).await.expect_err("commits would come too early");
    assert!(
        matches!(&error, ConnectError::Unreachable { reason, .. }
            if reason.contains("synchronous_commit") && reason.contains("ALTER ROLE")),
        "{error:?}"
    );
    connect(&url).await.expect("it can be turned on").close().await;
}
