//! The HTTP side of the gateway.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tracing::{debug, error};

use super::posting::Posted;
use super::protocol::KEY_HEADER;
use super::{Call, Ledger};

/// A running gateway. Dropped, it stops answering.
#[derive(Debug)]
pub struct Service {
    address: SocketAddr,
    ledger: Ledger,
    server: JoinHandle<()>,
}

impl Service {
    /// Serves on a free port of the loopback interface.
    ///
    /// # Errors
    /// There is no free port, or the system allows no sockets.
    pub async fn start(ledger: Ledger) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let routes = router(ledger.clone());
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                error!(%error, "the gateway has stopped");
            }
        });
        Ok(Self { address, ledger, server })
    }

    /// Where it can be reached. Another start gives another port, so nothing that lasts may keep
    /// this.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops answering and closes the ledger. Calls under way are cut off, as in a crash: whoever
    /// made them repeats them with their key.
    pub async fn stop(self) {
        self.server.abort();
        self.ledger.close().await;
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn router(ledger: Ledger) -> Router {
    Router::new().route("/{operation}", post(answer)).with_state(ledger)
}

async fn answer(
    State(ledger): State<Ledger>,
    Path(operation): Path<String>,
    headers: HeaderMap,
    Json(fields): Json<Value>,
) -> Response {
    let Some(key) = headers.get(KEY_HEADER).and_then(|key| key.to_str().ok()) else {
        let text = format!("the header `{KEY_HEADER}` is missing");
        return (StatusCode::BAD_REQUEST, text).into_response();
    };
    let call = Value::Object([(operation, fields)].into_iter().collect());
    let call: Call = match serde_json::from_value(call) {
        Ok(call) => call,
        Err(error) => return (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()).into_response(),
    };
    let posted = ledger.post(key.to_owned(), call.clone()).await;
    debug!(key, ?call, ?posted, "called");
    match posted {
        Ok(Posted::Answer { answer, delay }) => {
            tokio::time::sleep(delay).await;
            (answer.status(), Json(answer)).into_response()
        }
        Ok(Posted::Failure) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "the gateway has tripped").into_response()
        }
        Ok(Posted::KeyReused) => {
            let text = format!("the key `{key}` belongs to another call");
            (StatusCode::UNPROCESSABLE_ENTITY, text).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}
