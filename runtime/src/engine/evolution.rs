//! Reads states and values of other builds, with the definitions and schemas from the database.

use tracing::warn;

use super::panics::catch;
use crate::codec::{self, schemas};
use crate::error::{StoreError, with_causes};
use crate::evolution::{self, Unfit};
use crate::machine::WorkflowEntry;
use crate::model::{BlockedReason, DefinitionHash, Handle, Payload, SchemaHash, Snapshot};
use crate::store::Store;

/// A saved state that has been fitted into this build.
#[derive(Debug)]
pub(crate) struct Evolved {
    pub(crate) entry: &'static WorkflowEntry,
    /// The operations that the next step gives up, see [`Machine::give_up`](crate::machine::Machine::give_up).
    pub(crate) given_up: Vec<Handle>,
}

/// Fits a saved state into this build: into that version of the workflow, the newest first, that it fits.
///
/// # Errors
/// [`StoreError`] if the database fails. The inner error says why the state does not fit.
pub(crate) async fn evolve(
    store: &dyn Store,
    versions: &[&'static WorkflowEntry],
    snapshot: &mut Snapshot,
) -> Result<Result<Evolved, BlockedReason>, StoreError> {
    loop {
        let evolved = catch(|| -> Result<_, Unfit> {
            let entry = evolution::version_of(&snapshot.frame, versions)?;
            let given_up = evolution::evolve_snapshot(snapshot, entry)?;
            Ok(Evolved { entry, given_up })
        });
        let unfit = match evolved {
            Ok(Ok(evolved)) => return Ok(Ok(evolved)),
            Ok(Err(unfit)) => unfit,
            Err(message) => return Ok(Err(BlockedReason::Panicked(message))),
        };
        let unknown = match unfit {
            Unfit::UnknownDefinition(hash) => match learn_definition(store, hash).await? {
                true => continue,
                false => format!("the definition {hash} that wrote it"),
            },
            Unfit::UnknownSchema(hash) => match learn_schemas(store, vec![hash]).await? {
                true => continue,
                false => format!("the schema {hash} of a value in it"),
            },
            Unfit::Finding(finding) => return Ok(Err(BlockedReason::Evolution(finding))),
            Unfit::Damaged(error) => {
                return Ok(Err(BlockedReason::Undecodable(error.to_string())));
            }
        };
        let reason = format!("{unknown} is not in the database");
        return Ok(Err(BlockedReason::Undecodable(reason)));
    }
}

/// Loads the schemas of payloads that are about to be read. Schemas that the database does not have are skipped;
/// reading the payload then fails.
pub(crate) async fn learn_schemas_of<'a>(
    store: &dyn Store,
    payloads: impl Iterator<Item = &'a Payload>,
) -> Result<(), StoreError> {
    let hashes = payloads.filter_map(codec::schema_of);
    let unknown: Vec<_> = hashes.filter(|hash| codec::is_unknown(*hash)).collect();
    if !unknown.is_empty() {
        learn_schemas(store, unknown).await?;
    }
    Ok(())
}

/// Loads schemas. Returns whether all of them are known now.
pub(crate) async fn learn_schemas(
    store: &dyn Store,
    hashes: Vec<SchemaHash>,
) -> Result<bool, StoreError> {
    for record in store.find_schemas(&hashes).await? {
        if let Err(error) = schemas::learn(record.hash, &record.schema) {
            warn!(schema = %record.hash, error = %with_causes(&error), "a schema cannot be read");
        }
    }
    Ok(!hashes.into_iter().any(codec::is_unknown))
}

/// Loads a definition. Returns whether it is known now.
pub(crate) async fn learn_definition(
    store: &dyn Store,
    hash: DefinitionHash,
) -> Result<bool, StoreError> {
    let Some(record) = store.find_definitions(hash).await?.into_iter().next() else {
        return Ok(false);
    };
    match evolution::learn(hash, &record.description) {
        Ok(()) => Ok(true),
        Err(error) => {
            warn!(definition = %hash, error = %with_causes(&error), "a definition cannot be read");
            Ok(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::codec::schemas::StoredSchema;
    use crate::codec::{Described, Schema};
    use crate::evolution::{StoredDefinition, StoredParameter};
    use crate::generated::{ArgumentKind, Halt, Parked, Plain, StepOf, Values};
    use crate::machine::frame::{FrameHead, write_length};
    use crate::machine::{Context, Workflow};
    use crate::model::{Encoding, Ending, Graph, RunStatus, Timestamp, Wait};
    use crate::store::{DefinitionRecord, Definitions as _, MemoryStore, SchemaRecord};

    /// A workflow that takes a number.
    struct Pay;

    impl Workflow for Pay {
        type Return = ();
        type Output = ();
        type Error = Infallible;
        type Shape = Plain;
        type Unit = Self;
        const GRAPH: &'static Graph =
            &Graph::new("pay", "src/pay.rs", "start\tstart\t7\tend\t1/1/00000000\t\t\n");

        const ARGUMENTS: &'static [ArgumentKind] =
            &[ArgumentKind::of(Described::of::<u64>()).named("cents")];
        const RETURNED: &'static Values<()> = Values::of();
    }

    impl StepOf<Self> for Pay {
        type Return = ();

        fn step(_: &mut Parked, _: &Context) -> Result<(), Halt> {
            Err(Halt::Suspended)
        }
    }

    static PAY: WorkflowEntry = WorkflowEntry::of::<Pay>();

    fn first_snapshot() -> Snapshot {
        Snapshot {
            frame: Vec::new(),
            state: "start".to_owned(),
            next_handle: 0,
            operations: Vec::new(),
            wait: Wait::All(Vec::new()),
            steps: 0,
            cancelled: None,
            clock: Timestamp::MIN,
            ending: None,
        }
    }

    /// The arguments of a call with one number, as a build has written them that no code of this process knows, and whose
    /// schema is in the store.
    async fn stored_arguments(store: &MemoryStore, small: &Schema, number: u8) -> Payload {
        let stored = StoredSchema::Arguments(vec![("cents".to_owned(), small.clone())]);
        let hash = stored.hash();
        assert!(codec::is_unknown(hash), "nothing in this program has such arguments");
        let schema = serde_json::to_string(&stored).expect("plain data");
        let recorded = store.record_schemas(&[SchemaRecord { hash, schema }]).await;
        recorded.expect("a store in memory");
        Payload([&[Encoding::Typed as u8][..], &hash.0.to_le_bytes(), &[number]].concat())
    }

    /// A run started by a build with a narrower number type, which no worker has begun.
    #[tokio::test]
    async fn what_a_run_was_started_with_is_learned() {
        let store = MemoryStore::new();
        let small = Schema::of::<u8>();
        let payload = stored_arguments(&store, &small, 200).await;

        let mut definition: StoredDefinition = evolution::own(&PAY).clone();
        definition.hash = DefinitionHash(77);
        let parameter = StoredParameter { name: "cents".to_owned(), schema: small.hash() };
        definition.parameters = vec![parameter];
        definition.schemas.insert(small.hash().to_string(), small);
        let record = DefinitionRecord {
            workflow: "pay".to_owned(),
            hash: definition.hash,
            description: serde_json::to_string(&definition).expect("plain data"),
        };
        store.record_definitions(&[record]).await.expect("a store in memory");

        let payload = payload.0;
        let mut frame = Vec::new();
        FrameHead { hash: definition.hash, state: 0 }.write(&mut frame);
        write_length(&mut frame, payload.len() as u64);
        frame.extend_from_slice(&payload);
        let mut snapshot = Snapshot { frame, ..first_snapshot() };
        let evolved = evolve(&*store, &[&PAY], &mut snapshot).await.expect("a store in memory");
        assert!(evolved.is_ok(), "{evolved:?}");
        PAY.definition().check(&Payload(payload)).expect("200 is a number of today, too");
    }

    /// Its code makes no more steps, so it may have changed in any way.
    #[tokio::test]
    async fn a_run_that_is_compensated_goes_on_whatever_its_code_is() {
        let store = MemoryStore::new();
        let mut definition: StoredDefinition = evolution::own(&PAY).clone();
        definition.hash = DefinitionHash(78);
        definition.states[0].name = "gone".to_owned();
        let record = DefinitionRecord {
            workflow: "pay".to_owned(),
            hash: definition.hash,
            description: serde_json::to_string(&definition).expect("plain data"),
        };
        store.record_definitions(&[record]).await.expect("a store in memory");
        let mut frame = Vec::new();
        FrameHead { hash: definition.hash, state: 0 }.write(&mut frame);
        write_length(&mut frame, 0);
        let mut snapshot =
            Snapshot { frame: frame.clone(), state: "gone".to_owned(), ..first_snapshot() };
        let blocked = evolve(&*store, &[&PAY], &mut snapshot).await.expect("a store in memory");
        assert!(matches!(blocked, Err(BlockedReason::Evolution(_))), "{blocked:?}");
        snapshot.ending = Some(Box::new(Ending {
            status: RunStatus::Failed,
            result: None,
            failure: "out of stock".to_owned(),
            current: None,
            failed: Vec::new(),
        }));
        let evolved = evolve(&*store, &[&PAY], &mut snapshot).await.expect("a store in memory");
        assert!(evolved.is_ok(), "{evolved:?}");
        assert_eq!(snapshot.frame, frame);
    }

    /// A run that a schedule has started in this build, with arguments of another one: a worker that claims it may not be
    /// the one that has started it.
    #[tokio::test]
    async fn what_this_build_has_started_with_stored_arguments_is_learned() {
        let store = MemoryStore::new();
        let payload = stored_arguments(&store, &Schema::of::<i8>(), 14).await;
        let mut frame = Vec::new();
        FrameHead { hash: PAY.definition().hash(), state: 0 }.write(&mut frame);
        write_length(&mut frame, payload.as_bytes().len() as u64);
        frame.extend_from_slice(payload.as_bytes());
        let mut snapshot = Snapshot { frame, ..first_snapshot() };
        PAY.definition().check(&payload).expect_err("the schema is not known yet");
        let evolved = evolve(&*store, &[&PAY], &mut snapshot).await.expect("a store in memory");
        evolved.expect("it is of this build");
        PAY.definition().check(&payload).expect("it is a number of today, too");
    }

    /// A schedule that another build has created.
    #[cfg(feature = "schedules")]
    #[tokio::test(start_paused = true)]
    async fn what_a_schedule_has_stored_is_learned() {
        use crate::client::Client;
        use crate::schedules::{Config, LogKind, State, read_entry};
        use crate::store::{NewSchedule, Schedules as _};
        use crate::worker::Worker;

        let store = MemoryStore::new();
        let arguments = stored_arguments(&store, &Schema::of::<i16>(), 14).await;
        let now = crate::store::Store::now(&*store).await.expect("a store in memory");
        let spec = piton_schedule::Spec::new().cron("* * * * *");
        let schedule = NewSchedule {
            id: "pay".to_owned(),
            token: uuid::Uuid::nil(),
            workflow: "pay".to_owned(),
            arguments,
            config: serde_json::to_string(&Config::new(spec)).expect("plain data"),
            state: serde_json::to_string(&State::new(now)).expect("plain data"),
            due_at: Some(now),
            log: Vec::new(),
        };
        store.create_schedule(schedule).await.expect("a store in memory");
        let client = Client::new(store.clone());
        let worker =
            Worker::new(&client).serving(vec![&PAY], vec![]).start().await.expect("it starts");
        let first = loop {
            let log = store.list_schedule_log("pay", None, 1).await.expect("a store in memory");
            match log.into_iter().next() {
                Some(entry) => break read_entry(entry).expect("it is of this build").what,
                None => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
            }
        };
        assert!(matches!(first, LogKind::Started { .. }), "{first:?}");
        worker.shutdown().await.expect("it ends");
    }
}
