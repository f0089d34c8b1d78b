//! Signed tokens of promises in the requests of a web server.

#![allow(missing_docs, clippy::unwrap_used)]

use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use piton::prelude::*;
use piton::signed::{SignedPromise, TokenSigner};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

async fn name(SignedPromise(token): SignedPromise) -> String {
    token.name().to_owned()
}

/// The status and the body of the response to a request for this path.
async fn response(server: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server).await.expect("the server listens");
    let request = format!("GET {path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("the response is read");
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = response.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (status.expect("it has a status"), body.expect("it has a body"))
}

#[tokio::test]
async fn a_handler_gets_valid_tokens_only() {
    let signer = TokenSigner::new("2026-11", [7; 32]).expect("it is a key");
    let router = Router::new().route("/path/{token}", get(name)).route("/query", get(name));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let server = listener.local_addr().expect("it is bound");
    let router = router.with_state(signer.clone());
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });

    let token = PromiseToken::of_workflow_id("fulfill", "order/42?", "manager's approval");
    let valid = signer.sign(&token, Timestamp::now() + hours(1));
    let expired = signer.sign(&token, Timestamp::now() - seconds(2));
    let other = TokenSigner::new("2026-12", [7; 32]).expect("it is a key");
    let other = other.sign(&token, Timestamp::now() + hours(1));
    let forged = valid.replacen("fulfill", "refund", 1);
    let cases = [
        (valid.as_str(), 200, "manager's approval"),
        (&expired, 410, "the token has expired"),
        (&other, 403, "the token was signed with a key that is not accepted"),
        (&forged, 403, "the signature of the token is wrong"),
        ("promise1", 400, "this is not a signed token"),
    ];
    for (signed, status, body) in cases {
        for path in [format!("/path/{signed}"), format!("/query?token={signed}")] {
            assert_eq!(response(server, &path).await, (status, body.to_owned()), "{path}");
        }
    }
    assert_eq!(response(server, "/query").await, (400, "there is no `token`".to_owned()));
    serving.abort();
}
