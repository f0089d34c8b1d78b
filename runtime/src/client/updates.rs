//! Updates: requests to a run, and their answers.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::timeout;

use super::awaited::Sent;
use super::validators::Validator;
use super::{Client, RunHandle};
use crate::codec;
use crate::engine::backoff::{Backoff, patiently};
use crate::engine::evolution::learn_schemas_of;
use crate::error::{KeyError, LookupError, SignalError, StoreError, UpdateError};
use crate::machine::{Never, Update, Workflow};
use crate::model::{Payload, RunId, UpdateReply};
use crate::store::{ArrivalKind, ArrivalOutcome, FoundUpdate, NewArrival, RunKey, UpdateKey};

/// How often a wait for an answer polls the database at first without a notification: the run may belong to another
/// process. The interval doubles.
const FIRST_POLL: Duration = Duration::from_millis(20);
/// The longest interval.
const LAST_POLL: Duration = Duration::from_secs(1);

/// An update, ready to be sent: await it for the answer, or [`accepted`](SendUpdate::accepted) to send it only.
#[must_use = "nothing is sent until this is awaited"]
pub struct SendUpdate<U> {
    client: Client,
    to: RunKey,
    request: U,
    id: Option<String>,
    limit: Option<Duration>,
}

impl<U: Update> SendUpdate<U> {
    pub(super) fn new(client: Client, to: RunKey, request: U) -> Self {
        Self { client, to, request, id: None, limit: None }
    }

    /// Sets the id of the update. A run accepts one update with this id, as long as the run exists; repetitions get
    /// the answer to the first, even after a crash of the sender or of the worker, and after the run has closed. The
    /// run refuses another update with the id ([`UpdateError::IdTaken`]). 1 to 1,000 bytes, without the character
    /// NUL. Default: a new id.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets how long to wait for the answer, once the run has accepted the update: after that,
    /// [`UpdateError::NoAnswer`]. The run may answer later. Default: no limit.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sends the update. When this returns, the update is on disk, in the inbox of the run. This program's
    /// validators for the update (see [`validator`](macro@crate::validator)) run before anything is written, unless
    /// an update with the id was accepted before. If the future is dropped, the update may or may not have been
    /// sent.
    ///
    /// # Errors
    /// [`UpdateError::Refused`] by a validator; [`UpdateError::Closed`] if the run is closed;
    /// [`UpdateError::Unknown`] and [`UpdateError::NoRun`] if there is no such run; [`UpdateError::NotAwaited`] if
    /// no build of the workflow awaits such an update; [`UpdateError::IdTaken`] if another update has the id.
    pub async fn accepted(self) -> Result<UpdateHandle<U>, UpdateError<U::Error>> {
        let Self { client, to, request, id, limit: _ } = self;
        let payload = encode(&request)?;
        let update =
            RawUpdate { name: U::NAME.to_owned(), id: id_or_new(id)?, payload, json: None };
        let refused = client.send_update(to, update).await;
        match refused.map_err(UpdateError::widen)? {
            Ok(key) => Ok(UpdateHandle { client, key, update: PhantomData }),
            Err(refusal) => Err(read_refusal::<U>(&refusal)),
        }
    }
}

impl<U: Update<Error: Send> + Send> IntoFuture for SendUpdate<U> {
    type Output = Result<U::Reply, UpdateError<U::Error>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Sends the update and waits for the answer. If the future is dropped, the update may or may not have been
    /// sent; with an id, sending it again is safe.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let limit = self.limit;
            self.accepted().await?.reply_within(limit).await
        })
    }
}

impl<U: Update> std::fmt::Debug for SendUpdate<U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SendUpdate")
            .field("update", &U::NAME)
            .field("to", &self.to)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// An update that a run has accepted.
pub struct UpdateHandle<U> {
    client: Client,
    key: UpdateKey,
    update: PhantomData<fn() -> U>,
}

impl<U: Update> UpdateHandle<U> {
    pub(super) fn new(client: Client, run_id: RunId, id: String) -> Self {
        let key = UpdateKey { run_id, name: U::NAME.to_owned(), update: id };
        Self { client, key, update: PhantomData }
    }

    /// The run.
    pub fn run_id(&self) -> RunId {
        self.key.run_id
    }

    /// The id of the update.
    pub fn id(&self) -> &str {
        &self.key.update
    }

    /// Waits until the run has answered, in any process, or has closed without an answer. May be called again, and
    /// by any number of callers. Cancellation safe.
    ///
    /// # Errors
    /// [`UpdateError::Refused`] by the run; [`UpdateError::Dropped`] and [`UpdateError::Closed`] if it will never
    /// answer; [`UpdateError::NotAccepted`] if it has no update with the id, and [`UpdateError::IdTaken`] if the id
    /// is that of another update. While the database cannot be reached,
    /// the wait continues.
    pub async fn reply(&self) -> Result<U::Reply, UpdateError<U::Error>> {
        self.reply_within(None).await
    }

    pub(super) async fn reply_within(
        &self,
        limit: Option<Duration>,
    ) -> Result<U::Reply, UpdateError<U::Error>> {
        let reply = self.client.update_reply_within(&self.key, limit).await;
        match reply.map_err(UpdateError::widen)? {
            Ok(reply) => codec::from_payload(&reply).map_err(UpdateError::Reply),
            Err(refusal) => Err(read_refusal::<U>(&refusal)),
        }
    }
}

impl<U: Update> std::fmt::Debug for UpdateHandle<U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UpdateHandle").field("update", &U::NAME).field("key", &self.key).finish()
    }
}

impl<W: Workflow> RunHandle<W> {
    /// Sends an update, a request that the run answers. Await the returned value for the answer.
    ///
    /// ```ignore
    /// let total = run.update(AddItem { sku }).id("add-1").await?;
    /// ```
    ///
    /// Errors: see [`UpdateError`].
    pub fn update<U: Update>(&self, request: U) -> SendUpdate<U> {
        SendUpdate::new(self.client().clone(), self.run_id().into(), request)
    }

    /// An update that was sent before, by its id: for a process that restarts while it waits for an answer.
    pub fn update_by_id<U: Update>(&self, id: impl Into<String>) -> UpdateHandle<U> {
        UpdateHandle::new(self.client().clone(), self.run_id(), id.into())
    }
}

/// An update without its type.
#[derive(Clone, Debug)]
pub(super) struct RawUpdate {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) payload: Payload,
    /// The schema that a request sent as JSON must fit.
    pub(super) json: Option<Json>,
}

impl RawUpdate {
    pub(super) fn arrival(self) -> ArrivalKind {
        let Self { name, id, payload, .. } = self;
        ArrivalKind::Update { name, id, payload }
    }
}

/// The encoded request.
pub(super) fn encode<U: Update>(request: &U) -> Result<Payload, UpdateError<U::Error>> {
    codec::to_payload(request)
        .map_err(|source| UpdateError::Encode { update: U::NAME.to_owned(), source })
}

/// The id, or a new one.
pub(super) fn id_or_new<E>(id: Option<String>) -> Result<String, UpdateError<E>> {
    let id = id.unwrap_or_else(|| RunId::new().to_string());
    KeyError::check(&id).map_err(UpdateError::Id)?;
    Ok(id)
}

/// The decoded error of a refused update.
pub(super) fn read_refusal<U: Update>(refusal: &Payload) -> UpdateError<U::Error> {
    codec::from_payload(refusal).map_or_else(UpdateError::Reply, UpdateError::Refused)
}

impl From<StoreError> for UpdateError<Never> {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl Client {
    /// Sends an update. The inner error is the refusal of a validator.
    pub(super) async fn send_update(
        &self,
        to: RunKey,
        update: RawUpdate,
    ) -> Result<Result<UpdateKey, Payload>, UpdateError<Never>> {
        let Some(run) = self.find(to.clone()).await? else {
            return Err(match to {
                RunKey::RunId(run_id) => UpdateError::Unknown { run_id },
                key @ RunKey::WorkflowId(_) => UpdateError::NoRun(key),
            });
        };
        let run_id = run.run_id;
        let (name, id) = (update.name.clone(), update.id.clone());
        let key = UpdateKey { run_id, name, update: id };
        let awaited = self.check_awaited(&run.workflow, Sent::Update, &update.name).await?;
        if let Err(awaited) = awaited {
            let (workflow, update) = (run.workflow, update.name);
            return Err(UpdateError::NotAwaited { workflow, update, awaited });
        }
        if let Some(json) = &update.json {
            let workflow = Some(&*run.workflow);
            let checked = self.check_json(workflow, Sent::Update, &update.name, json).await?;
            checked.map_err(|reason| UpdateError::Unreadable { run_id, reason })?;
        }
        if let Some(refusal) = self.validate(&run.workflow, &key, &update).await? {
            return Ok(Err(refusal));
        }
        let kind = update.arrival();
        self.record_schema_of(&kind).await.map_err(not_recorded)?;
        let arrival = NewArrival { run_id, kind, dedup_key: Some(key.dedup_key()), owner: None };
        match self.deliveries().submit(arrival).await.map_err(UpdateError::Store)? {
            ArrivalOutcome::Accepted { .. } | ArrivalOutcome::Duplicate => Ok(Ok(key)),
            ArrivalOutcome::KeyTaken { by } => Err(key.taken(by.unwrap_or_default())),
            ArrivalOutcome::Unknown => Err(UpdateError::Unknown { run_id }),
            // Arrivals of clients name no owner.
            ArrivalOutcome::Closed | ArrivalOutcome::NotOwner => {
                Err(UpdateError::Closed { run_id })
            }
        }
    }

    /// Runs this program's validators, unless the update was accepted before.
    async fn validate(
        &self,
        workflow: &str,
        key: &UpdateKey,
        update: &RawUpdate,
    ) -> Result<Option<Payload>, UpdateError<Never>> {
        let validators = Validator::find(workflow, &update.name);
        if validators.is_empty() {
            return Ok(None);
        }
        let known = patiently(|| self.store().find_update(key)).await?;
        if known != FoundUpdate::Unknown {
            return Ok(None);
        }
        let failed = |error| UpdateError::Validator(Box::new(error));
        let exposed = self.exposed(key.run_id).await.map_err(failed)?;
        for validator in validators {
            if let Some(refusal) = validator.look(&update.payload, &exposed).map_err(failed)? {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }

    /// The answer that an earlier run of the chain has given to an update. The ids of updates move to successors,
    /// but an answer stays with the run that gave it.
    async fn reply_before(&self, key: &UpdateKey) -> Result<Option<UpdateReply>, StoreError> {
        let mut key = key.clone();
        loop {
            let kin = patiently(|| self.store().find_kin(key.run_id)).await?;
            let Some(previous) = kin.and_then(|kin| kin.previous_run_id) else { return Ok(None) };
            key.run_id = previous;
            match patiently(|| self.store().find_update(&key)).await? {
                FoundUpdate::Answered(reply) => return Ok(Some(reply)),
                FoundUpdate::Unknown | FoundUpdate::Other { .. } => return Ok(None),
                FoundUpdate::Accepted | FoundUpdate::Closed => {}
            }
        }
    }

    /// As [`update_reply`](Self::update_reply), for at most this long.
    pub(super) async fn update_reply_within(
        &self,
        key: &UpdateKey,
        limit: Option<Duration>,
    ) -> Result<Result<Payload, Payload>, UpdateError<Never>> {
        let Some(limit) = limit else { return self.update_reply(key).await };
        timeout(limit, self.update_reply(key)).await.unwrap_or_else(|_| {
            let (run_id, update) = (key.run_id, key.update.clone());
            Err(UpdateError::NoAnswer { run_id, update, limit })
        })
    }

    /// Waits for the answer to an update. The inner error is the run's refusal.
    async fn update_reply(
        &self,
        key: &UpdateKey,
    ) -> Result<Result<Payload, Payload>, UpdateError<Never>> {
        let UpdateKey { run_id, name, update } = key.clone();
        let watch = self.store().hub().watch_run(run_id);
        let (mut poll, mut backoff) = (FIRST_POLL, Backoff::default());
        let mut looks = 0_u32;
        let reply = loop {
            match self.store().find_update(key).await {
                Ok(FoundUpdate::Answered(reply)) => break reply,
                Ok(FoundUpdate::Accepted) => {
                    looks += 1;
                    // Most updates are answered by the run that they were sent to, before the second poll.
                    if looks == 2
                        && let Some(reply) = self.reply_before(key).await?
                    {
                        break reply;
                    }
                }
                Ok(FoundUpdate::Closed) => {
                    // It may have moved to the successor.
                    let kin = patiently(|| self.store().find_kin(run_id)).await?;
                    let Some(run_id) = kin.and_then(|kin| kin.next_run_id) else {
                        match self.reply_before(key).await? {
                            Some(reply) => break reply,
                            None => return Err(UpdateError::Closed { run_id }),
                        }
                    };
                    let key = UpdateKey { run_id, name, update };
                    return Box::pin(self.update_reply(&key)).await;
                }
                Ok(FoundUpdate::Other { name }) => return Err(key.taken(name)),
                Ok(FoundUpdate::Unknown) => {
                    return Err(UpdateError::NotAccepted { run_id, update });
                }
                Err(error) if error.is_retryable() => {
                    backoff.wait().await;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            // Poll after a notification and after a timeout alike.
            let _ = timeout(poll, watch.changed()).await;
            poll = (2 * poll).min(LAST_POLL);
        };
        patiently(|| learn_schemas_of(&**self.store(), reply.payload().into_iter())).await?;
        match reply {
            UpdateReply::Replied(value) => Ok(Ok(value)),
            UpdateReply::Refused(error) => Ok(Err(error)),
            UpdateReply::Dropped => Err(UpdateError::Dropped { run_id, update }),
            UpdateReply::Unreadable(reason) => Err(UpdateError::Unreadable { run_id, reason }),
        }
    }
}

impl UpdateKey {
    /// The error for an id that belongs to another update.
    fn taken(&self, by: String) -> UpdateError<Never> {
        let Self { run_id, name, update } = self.clone();
        UpdateError::IdTaken { run_id, id: update, update: name, by }
    }
}

fn not_recorded(error: SignalError) -> UpdateError<Never> {
    match error {
        SignalError::Store(error) => UpdateError::Store(error),
        // Recording a schema has no other errors.
        other => UpdateError::Start(Box::new(other.into())),
    }
}

impl From<LookupError> for UpdateError<Never> {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::Store(error) => error.into(),
            LookupError::Unknown(key) => Self::NoRun(key),
            error @ LookupError::OtherWorkflow { .. } => Self::Validator(Box::new(error.into())),
        }
    }
}
