//! Signed tokens of promises, which expire, for links that are given to strangers.
//!
//! The text of a [`PromiseToken`] is built from its parts, so anyone who knows a workflow id can write one. A
//! [`TokenSigner`] adds an expiry time and a signature (HMAC with SHA-256), and a web server accepts only tokens
//! with a valid signature.

#[cfg(feature = "axum")]
mod web;

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::model::{PromiseToken, Timestamp};

#[cfg(feature = "axum")]
pub use self::web::SignedPromise;

/// The minimum length of a secret in bytes, that of the signature.
const MIN_SECRET: usize = 32;

/// Signs tokens of promises, and verifies the signatures.
///
/// ```
/// use piton::model::PromiseToken;
/// use piton::prelude::*;
/// use piton::signed::TokenSigner;
///
/// let signer = TokenSigner::new("2026-11", *b"32 bytes from a source of secrets")?;
/// let token = PromiseToken::of_workflow_id("fulfill", "order-42", "approval");
/// let signed = signer.sign(&token, Timestamp::now() + days(3));
/// let link = format!("https://shop.example/approve?token={signed}");
/// # assert!(link.len() > 100);
/// assert_eq!(signer.verify(&signed, Timestamp::now())?, token);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct TokenSigner {
    /// The first key signs.
    keys: Vec<(String, Hmac<Sha256>)>,
}

impl TokenSigner {
    /// A signer with this secret. The key's id is part of each signed token, so that secrets can be replaced:
    /// letters, digits, `-` and `_`.
    ///
    /// # Errors
    /// [`KeyProblem`] if the secret has less than 32 bytes, or the id has other characters.
    pub fn new(key_id: impl Into<String>, secret: impl AsRef<[u8]>) -> Result<Self, KeyProblem> {
        Self { keys: Vec::new() }.accept(key_id, secret)
    }

    /// Also accepts tokens signed with another secret.
    ///
    /// # Errors
    /// Those of [`TokenSigner::new`].
    pub fn accept(
        mut self,
        key_id: impl Into<String>,
        secret: impl AsRef<[u8]>,
    ) -> Result<Self, KeyProblem> {
        let (key_id, secret) = (key_id.into(), secret.as_ref());
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if key_id.is_empty() || !key_id.bytes().all(is_plain) {
            return Err(KeyProblem::Id { key_id });
        }
        if secret.len() < MIN_SECRET {
            return Err(KeyProblem::Short { key_id, length: secret.len() });
        }
        // HMAC takes keys of any length.
        let mac = Hmac::new_from_slice(secret);
        let mac = mac.map_err(|_| KeyProblem::Short { key_id: key_id.clone(), length: 0 })?;
        self.keys.push((key_id, mac));
        Ok(self)
    }

    /// The token with its signature, valid until this time, in whole seconds. It needs no quoting in a URL.
    pub fn sign(&self, token: &PromiseToken, until: Timestamp) -> String {
        let seconds = until.as_micros().div_euclid(1_000_000);
        let Some((key_id, mac)) = self.keys.first() else { return String::new() };
        let text = format!("{token}.{seconds}.{key_id}");
        let mut mac = mac.clone();
        mac.update(text.as_bytes());
        let signature = mac.finalize().into_bytes();
        let mut signed = text + ".";
        signature.iter().for_each(|byte| signed += &format!("{byte:02x}"));
        signed
    }

    /// Verifies a signed token and returns the token. Takes constant time for the signature.
    ///
    /// # Errors
    /// [`SignatureError`] if it was not signed with one of the keys, was changed, or has expired at `now`.
    pub fn verify(&self, signed: &str, now: Timestamp) -> Result<PromiseToken, SignatureError> {
        let mut parts = signed.rsplitn(4, '.');
        let mut next = || parts.next().ok_or(SignatureError::Malformed);
        let (signature, key_id, seconds, token) = (next()?, next()?, next()?, next()?);
        let known = self.keys.iter().find(|(known, _)| known == key_id);
        let (_, mac) = known.ok_or(SignatureError::UnknownKey)?;
        let mut mac = mac.clone();
        mac.update(&signed.as_bytes()[..signed.len() - signature.len() - 1]);
        let signature = bytes(signature).ok_or(SignatureError::Malformed)?;
        mac.verify_slice(&signature).map_err(|_| SignatureError::Forged)?;
        let seconds: i64 = seconds.parse().map_err(|_| SignatureError::Malformed)?;
        if now.as_micros().div_euclid(1_000_000) >= seconds {
            return Err(SignatureError::Expired);
        }
        token.parse().map_err(|_| SignatureError::Malformed)
    }
}

/// Does not print secrets.
impl fmt::Debug for TokenSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.keys.iter().map(|(key_id, _)| key_id.as_str()).collect();
        f.debug_struct("TokenSigner").field("keys", &ids).finish()
    }
}

/// Decodes hex digits.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
            _ => None,
        })
        .collect()
}

/// Why a key is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyProblem {
    /// The secret is too short.
    #[error("the secret of the key `{key_id}` has {length} bytes: use at least 32 random bytes")]
    Short {
        /// The key's id.
        key_id: String,
        /// Its length in bytes.
        length: usize,
    },
    /// The id has characters that a token cannot contain.
    #[error("`{key_id}` cannot be the id of a key: use letters, digits, `-` and `_`")]
    Id {
        /// The id.
        key_id: String,
    },
}

/// Why a signed token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// It is not a signed token: it was truncated, or is something else.
    #[error("this is not a signed token")]
    Malformed,
    /// It was signed with an unknown key.
    #[error("the token was signed with a key that is not accepted")]
    UnknownKey,
    /// The signature is wrong.
    #[error("the signature of the token is wrong")]
    Forged,
    /// It has expired.
    #[error("the token has expired")]
    Expired,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn signer(key_id: &str, secret: u8) -> TokenSigner {
        TokenSigner::new(key_id, [secret; MIN_SECRET]).expect("it is a key")
    }

    fn token() -> PromiseToken {
        PromiseToken::of_workflow_id("fulfill", "order 42", "approval")
    }

    #[test]
    fn what_is_signed_is_accepted_until_it_expires() {
        let signed = signer("new", 1).sign(&token(), Timestamp(1_001_000_000));
        assert_eq!(signer("new", 1).verify(&signed, NOW), Ok(token()));
        let later = Timestamp(1_001_000_000);
        assert_eq!(signer("new", 1).verify(&signed, later), Err(SignatureError::Expired));
        let moved = signer("newer", 2).accept("new", [1; MIN_SECRET]).expect("it is a key");
        assert_eq!(moved.verify(&signed, NOW), Ok(token()));
        let fresh = moved.sign(&token(), later);
        assert_eq!(signer("new", 1).verify(&fresh, NOW), Err(SignatureError::UnknownKey));
    }

    #[test]
    fn what_was_changed_is_refused() {
        let signer = signer("new", 1);
        let signed = signer.sign(&token(), Timestamp(1_001_000_000));
        for (index, old) in signed.char_indices() {
            let new = if old == '0' { '1' } else { '0' };
            let changed = format!("{}{new}{}", &signed[..index], &signed[index + 1..]);
            assert!(signer.verify(&changed, NOW).is_err(), "{changed}");
            assert!(signer.verify(&signed[..index], NOW).is_err(), "cut at {index}");
        }
        let other = TokenSigner::new("new", [2; MIN_SECRET]).expect("it is a key");
        assert_eq!(other.verify(&signed, NOW), Err(SignatureError::Forged));
    }

    #[test]
    fn weak_keys_are_refused() {
        let short = TokenSigner::new("new", "secret").expect_err("it can be guessed");
        assert_eq!(short, KeyProblem::Short { key_id: "new".into(), length: 6 });
        for id in ["", "a.b", "ü"] {
            let refused = TokenSigner::new(id, [1; MIN_SECRET]).expect_err("it is no id");
            assert_eq!(refused, KeyProblem::Id { key_id: id.into() });
        }
        assert!(!format!("{:?}", signer("new", 1)).contains("[1"));
    }
}
