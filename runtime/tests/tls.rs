//! Encrypted connections to a Postgres server.
//!
//! Without Postgres binaries the test is reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

use std::net::TcpListener;

use libtest_mimic::{Arguments, Failed};
use piton::error::ConnectError;
use piton::store::{NewWorker, connect};
use piton_postgres_cluster::{Cluster, trial};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use sqlx::{Connection as _, PgConnection};
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let arguments = Arguments::from_args();
    let conclusion = {
        let server = match arguments.list {
            true => Err("tests are only listed".into()),
            false => Server::start(),
        };
        let (cluster, server) = match server {
            Ok(server) => (Ok(Arc::clone(&server.cluster)), Some(server)),
            Err(reason) => (Err(reason), None),
        };
        let test = move |_| block_on(server.expect("there is a cluster").check());
        let name = "all_connections_are_encrypted_and_the_server_is_who_it_says";
        libtest_mimic::run(&arguments, vec![trial(name.into(), &cluster, test)])
    };
    conclusion.exit();
}

fn block_on(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(test)
}

struct Server {
    cluster: Arc<Cluster>,
    port: u16,
    /// The certificates of the authority that has signed the server's certificate, and of another one.
    authority: tempfile::NamedTempFile,
    stranger: tempfile::NamedTempFile,
}

impl Server {
    fn start() -> Result<Self, String> {
        let (authority, issuer) = authority();
        let key = KeyPair::generate().expect("keys can be made");
        let names = vec!["localhost".to_owned()];
        let certificate = CertificateParams::new(names)
            .and_then(|parameters| parameters.signed_by(&key, &issuer))
            .expect("certificates can be made");
        // Another process may take the port before the server does, which then does not start.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("a port is free").port();
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nssl = on\n\
             ssl_cert_file = '../server.crt'\nssl_key_file = '../server.key'\n"
        );
        let files = [("server.crt", certificate.pem()), ("server.key", key.serialize_pem())];
        let cluster = Arc::new(Cluster::start_with(&settings, &files)?);
        let (stranger, _) = self::authority();
        Ok(Self { cluster, port, authority, stranger })
    }

    async fn check(self) -> Result<(), Failed> {
        let url = |mode: &str, root: &tempfile::NamedTempFile| {
            let (port, root) = (self.port, root.path().display());
            format!("postgres://piton@localhost:{port}/postgres?sslmode={mode}&sslrootcert={root}")
        };
        let trusted = url("verify-full", &self.authority);
        let store = connect(&trusted).await?;
        let worker = NewWorker { host: "here".into(), pid: 1, lease: Duration::from_secs(60) };
        store.register_worker(worker).await?;
        let mut connection = PgConnection::connect(&trusted).await?;
        let (encrypted, all): (i64, i64) = sqlx::query_as(
            "SELECT count(*) FILTER (WHERE ssl), count(*) FROM pg_stat_ssl \
             JOIN pg_stat_activity USING (pid) WHERE application_name = 'piton'",
        )
        .fetch_one(&mut connection)
        .await?;
        assert!(all >= 2, "one for news and one that has registered the worker");
        assert_eq!(encrypted, all);
        store.close().await;

        let error = connect(&url("verify-full", &self.stranger)).await.expect_err("a stranger");
        let is_named =
            matches!(&error, ConnectError::Unreachable { reason, .. } if reason.contains("TLS"));
        assert!(is_named, "{error:?}");
        Ok(())
    }
}

/// A new authority: its certificate in a file, and its signing key.
fn authority() -> (tempfile::NamedTempFile, Issuer<'static, KeyPair>) {
    let key = KeyPair::generate().expect("keys can be made");
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = parameters.self_signed(&key).expect("certificates can be made");
    let file = tempfile::NamedTempFile::new().expect("files can be made");
    std::fs::write(file.path(), certificate.pem()).expect("files can be written");
    (file, Issuer::new(parameters, key))
}
