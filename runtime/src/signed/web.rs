//! Signed tokens in the requests of an axum server.

use axum::extract::{FromRef, FromRequestParts, Query, RawPathParams};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;

use super::{SignatureError, TokenSigner};
use crate::model::{PromiseToken, Timestamp};

/// The signed token of a request, verified by the router's [`TokenSigner`]: the parameter `token` of the path
/// (`/approve/{token}`) or of the query (`/approve?token=…`). The signer is part of the router's state.
///
/// A request without a signed token, or with a text that is none, gets the status 400, one with a wrong signature 403,
/// and one with an expired token 410.
///
/// ```
/// use axum::Router;
/// use axum::extract::{FromRef, State};
/// use axum::http::StatusCode;
/// use axum::routing::post;
/// use piton::client::Client;
/// use piton::signed::{SignedPromise, TokenSigner};
///
/// #[derive(Clone)]
/// struct App {
///     client: Client,
///     signer: TokenSigner,
/// }
///
/// impl FromRef<App> for Client {
///     fn from_ref(app: &App) -> Self {
///         app.client.clone()
///     }
/// }
///
/// impl FromRef<App> for TokenSigner {
///     fn from_ref(app: &App) -> Self {
///         app.signer.clone()
///     }
/// }
///
/// async fn approve(State(client): State<Client>, SignedPromise(token): SignedPromise) -> StatusCode {
///     match client.promise(&token).resolve(&"approved".to_owned()).await {
///         Ok(completed) if completed.is_first() => StatusCode::OK,
///         Ok(_) => StatusCode::CONFLICT,
///         Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
///     }
/// }
///
/// fn router(app: App) -> Router {
///     Router::new().route("/approve/{token}", post(approve)).with_state(app)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedPromise(pub PromiseToken);

#[derive(Deserialize)]
struct InQuery {
    token: String,
}

impl<S> FromRequestParts<S> for SignedPromise
where
    TokenSigner: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = (StatusCode, String);

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let in_path = RawPathParams::from_request_parts(parts, state).await.ok();
        let in_path = in_path.and_then(|params| {
            let token = params.iter().find(|(name, _)| *name == "token");
            token.map(|(_, token)| token.to_owned())
        });
        let signed = match in_path {
            Some(token) => token,
            None => {
                let in_query = Query::<InQuery>::from_request_parts(parts, state).await;
                let missing = |_| (StatusCode::BAD_REQUEST, "there is no `token`".to_owned());
                in_query.map_err(missing)?.0.token
            }
        };
        let verified = TokenSigner::from_ref(state).verify(&signed, Timestamp::now());
        verified.map(Self).map_err(|error| {
            let status = match error {
                SignatureError::Malformed => StatusCode::BAD_REQUEST,
                SignatureError::Expired => StatusCode::GONE,
                SignatureError::UnknownKey | SignatureError::Forged => StatusCode::FORBIDDEN,
            };
            (status, error.to_string())
        })
    }
}
