//! Running a machine directly in a program, without engine, database or async runtime.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{
    Machine, NextRun, OperationOutcome, RunInfo, SetAside, Signal, StepError, StepOutcome, Update,
    Workflow, WorkflowCall,
};
use crate::codec::{self, CodecError};
use crate::error::Error;
use crate::model::{
    Handle, NewReply, Operation, OutgoingMessage, Payload, RunId, RunStatus, Timestamp,
};

/// One run of `W`, driven by the program: inspect its waits, save it to bytes, load it elsewhere, and continue it
/// with replies.
///
/// For games, devices and tools that use an `async fn` as a value. The program executes the operations in
/// [`Standalone::waiting_for`]; nothing starts by itself. `examples/src/game.rs` is a game that runs in a new
/// process for every move.
///
/// It needs only the feature `macros`, so neither tokio nor sqlx is built (`default-features = false, features =
/// ["macros"]`). This set of features compiles for wasm32, but is not tested there. On wasm32-unknown-unknown,
/// which has neither a clock nor randomness, use [`Standalone::start_as`] instead of [`Standalone::start`], and
/// pass a time of your own to [`Standalone::advance`].
///
/// ```
/// use piton::machine::{Progress, Standalone};
/// use piton::model::Timestamp;
/// use piton::{activity, workflow};
///
/// #[activity]
/// async fn roll_dice(sides: u8) -> u8 {
///     unreachable!("the loop below rolls the {sides}-sided dice")
/// }
///
/// #[workflow]
/// async fn turn() -> u8 {
///     let first = roll_dice(6).await;
///     first + roll_dice(6).await
/// }
///
/// let mut rolls = [2_u8, 5].into_iter();
/// let mut game = Standalone::start(turn())?;
/// let sum = loop {
///     match game.advance(Timestamp::now())? {
///         Progress::Returned(sum) => break sum,
///         Progress::Waiting => {
///             let handle = game.waiting_for()[0].0;
///             game.reply(handle, &rolls.next().unwrap_or(1))?;
///             // The next turn of the loop could be in another process, a month from now.
///             game = Standalone::load(&game.save()?)?;
///         }
///     }
/// };
/// assert_eq!(sum, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Standalone<W> {
    machine: Machine,
    run: RunInfo,
    /// Unconsumed arrivals, by number.
    inbox: Vec<(i64, Arrived)>,
    next_seq: i64,
    /// Messages that the program has not taken.
    messages: Vec<OutgoingMessage>,
    /// Answers to updates that the program has not taken.
    replies: Vec<NewReply>,
    /// Unreadable signals that the program has not taken.
    set_aside: Vec<SetAside>,
    workflow: PhantomData<fn() -> W>,
}

/// The progress of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// It waits for an operation.
    Waiting,
    /// The workflow has returned.
    Returned(T),
}

/// The first byte of a saved run.
const SAVED_FORMAT: u8 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Arrived {
    Outcome(Handle, OperationOutcome),
    Signal(String, Payload),
    Cancel(String),
    Update { name: String, id: String, payload: Payload },
}

/// The saved form, after [`SAVED_FORMAT`].
#[derive(Serialize, Deserialize)]
struct SavedRun {
    run_id: RunId,
    workflow_id: String,
    snapshot: Vec<u8>,
    inbox: Vec<(i64, Arrived)>,
    next_seq: i64,
    messages: Vec<OutgoingMessage>,
    replies: Vec<NewReply>,
}

impl<W: Workflow> Standalone<W> {
    /// A run before its first step, with a new id. Not available on wasm32-unknown-unknown, which has no source of
    /// randomness.
    ///
    /// # Errors
    /// [`StepError::Encode`] if an argument cannot be encoded.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    pub fn start(call: WorkflowCall<W>) -> Result<Self, StepError> {
        Self::start_as(RunId::new(), call)
    }

    /// A run before its first step, with the given id. The run's random numbers are derived from it.
    ///
    /// # Errors
    /// [`StepError::Encode`] if an argument cannot be encoded.
    pub fn start_as(run_id: RunId, call: WorkflowCall<W>) -> Result<Self, StepError> {
        let run = RunInfo { run_id, workflow_id: run_id.to_string().into() };
        let arguments = call.into_arguments().map_err(StepError::Encode)?;
        let machine = Machine::start(W::entry(), run.clone(), &arguments)?;
        Ok(Self {
            machine,
            run,
            inbox: Vec::new(),
            next_seq: 1,
            messages: Vec::new(),
            replies: Vec::new(),
            set_aside: Vec::new(),
            workflow: PhantomData,
        })
    }

    /// The run as bytes, with its arrivals.
    ///
    /// # Errors
    /// Does not fail for runs created by this crate.
    pub fn save(&self) -> Result<Vec<u8>, CodecError> {
        let mut bytes = vec![SAVED_FORMAT];
        let saved = SavedRun {
            run_id: self.run.run_id,
            workflow_id: self.run.workflow_id.to_string(),
            snapshot: self.machine.encode_snapshot()?,
            inbox: self.inbox.clone(),
            next_seq: self.next_seq,
            messages: self.messages.clone(),
            replies: self.replies.clone(),
        };
        codec::encode_into(&saved, &mut bytes)?;
        Ok(bytes)
    }

    /// A saved run.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if `bytes` is not a saved run, or has an unknown format. If it belongs to another
    /// workflow or an older definition, the next [`Standalone::advance`] fails.
    pub fn load(bytes: &[u8]) -> Result<Self, CodecError> {
        let saved: SavedRun = match bytes {
            [SAVED_FORMAT, saved @ ..] => codec::decode(saved)?,
            _ => {
                let reason = match bytes.first() {
                    Some(format) => format!("unknown format {format}"),
                    None => "it is empty".to_owned(),
                };
                return Err(CodecError::Decode { type_name: "saved run", reason });
            }
        };
        let snapshot = codec::decode_snapshot(&saved.snapshot)?;
        let run = RunInfo { run_id: saved.run_id, workflow_id: saved.workflow_id.into() };
        let mut machine = Machine::resume(W::entry(), run.clone(), snapshot);
        for (seq, arrived) in &saved.inbox {
            deliver(&mut machine, *seq, arrived.clone());
        }
        let SavedRun { inbox, next_seq, messages, replies, .. } = saved;
        let (set_aside, workflow) = (Vec::new(), PhantomData);
        Ok(Self { machine, run, inbox, next_seq, messages, replies, set_aside, workflow })
    }

    /// The name of the state that the run is in.
    pub fn state(&self) -> &str {
        self.machine.state()
    }

    /// The names of the states of `async` blocks in the branches of a `join!` or `select!`, such as
    /// `join.0.charge`, each before those in its own branches. Empty if the run does not wait for such branches. A
    /// completed block has no state.
    ///
    /// # Errors
    /// [`StepError::Definition`] if another definition wrote the state, and [`StepError::Decode`] if it
    /// is damaged.
    pub fn branches(&self) -> Result<Vec<&'static str>, StepError> {
        self.machine.branches()
    }

    /// The outstanding operations, in the order of their requests.
    pub fn waiting_for(&self) -> Vec<(Handle, Operation)> {
        self.machine.with_operations(<[_]>::to_vec)
    }

    /// Takes the messages sent with [`Context::signal_run`](super::Context::signal_run) since the last call, in
    /// order. [`Standalone::save`] includes those not taken.
    pub fn take_messages(&mut self) -> Vec<OutgoingMessage> {
        std::mem::take(&mut self.messages)
    }

    /// Takes the answers to updates since the last call. [`Standalone::save`] includes those not taken.
    pub fn take_replies(&mut self) -> Vec<NewReply> {
        std::mem::take(&mut self.replies)
    }

    /// Takes the unreadable signals since the last call. [`Standalone::save`] does not include them.
    pub fn take_set_aside(&mut self) -> Vec<SetAside> {
        std::mem::take(&mut self.set_aside)
    }

    /// Completes an activity with the return value of its function.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the value cannot be encoded.
    pub fn reply<T: Serialize>(&mut self, to: Handle, returned: &T) -> Result<(), CodecError> {
        let outcome = OperationOutcome::Returned(codec::to_tagged_payload(returned)?);
        self.arrive(Arrived::Outcome(to, outcome));
        Ok(())
    }

    /// Completes an operation with another outcome than a value.
    pub fn end(&mut self, operation: Handle, outcome: OperationOutcome) {
        self.arrive(Arrived::Outcome(operation, outcome));
    }

    /// Sends a signal. It is kept until the run takes one of its type.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the signal cannot be encoded.
    pub fn signal<S: Signal>(&mut self, signal: &S) -> Result<(), CodecError> {
        self.arrive(Arrived::Signal(S::NAME.to_owned(), signal.to_payload()?));
        Ok(())
    }

    /// Sends an update with an id, which [`Standalone::take_replies`] returns with the answer. It is kept until the
    /// run takes one of its type.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the request cannot be encoded.
    pub fn update<U: Update>(
        &mut self,
        id: impl Into<String>,
        request: &U,
    ) -> Result<(), CodecError> {
        let (name, payload) = (U::NAME.to_owned(), codec::to_payload(request)?);
        self.arrive(Arrived::Update { name, id: id.into(), payload });
        Ok(())
    }

    /// Requests the run to cancel.
    pub fn cancel(&mut self, reason: impl Into<String>) {
        self.arrive(Arrived::Cancel(reason.into()));
    }

    /// Makes steps as long as the run does not have to wait. `now` decides about timers; it may be a time of the
    /// program's own.
    ///
    /// # Errors
    /// See [`StepError`]. The run must not be advanced again; an earlier saved form can still be used.
    ///
    /// # Panics
    /// If the workflow's code panics. With `panic = "abort"`, which is common on wasm32, also if a saved local
    /// cannot be decoded.
    pub fn advance(&mut self, now: Timestamp) -> Result<Progress<W::Return>, StepError> {
        while self.machine.is_ready(now) {
            if let Some(result) = self.step(now)? {
                return returned::<W>(&result);
            }
        }
        Ok(Progress::Waiting)
    }

    /// Like [`Standalone::advance`], but makes each step a second time from the same state and compares the
    /// results. For tests: it finds most kinds of nondeterminism that the compiler cannot see, such as a clock
    /// inside a function, or the order of a hash map in an argument.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use piton::machine::{Standalone, StepError};
    /// use piton::model::Timestamp;
    /// use piton::{activity, workflow};
    ///
    /// fn innocent() -> u64 {
    ///     static CALLS: AtomicU64 = AtomicU64::new(0);
    ///     CALLS.fetch_add(1, Ordering::Relaxed)
    /// }
    ///
    /// #[activity]
    /// async fn ship(number: u64) {}
    ///
    /// #[workflow]
    /// async fn order() {
    ///     ship(innocent()).await;
    /// }
    ///
    /// let mut run = Standalone::start(order())?;
    /// let made_twice = run.advance_twice(Timestamp(0));
    /// assert!(matches!(made_twice, Err(StepError::Unrepeatable { .. })));
    /// # Ok::<(), StepError>(())
    /// ```
    ///
    /// # Errors
    /// [`StepError::Unrepeatable`] if the second step has another state, operation, message or return value.
    /// Otherwise those of [`Standalone::advance`].
    pub fn advance_twice(&mut self, now: Timestamp) -> Result<Progress<W::Return>, StepError> {
        while self.machine.is_ready(now) {
            let state = self.state().to_owned();
            let before = self.save().map_err(StepError::Encode)?;
            let mut again = Self::load(&before).map_err(StepError::Decode)?;
            self.machine.cx().record_side_effects();
            let result = self.step(now)?;
            self.machine.cx().check_side_effects()?;
            again.machine.cx().replay_side_effects(self.machine.cx().take_side_effects());
            let stepped = again.step(now);
            again.machine.cx().check_side_effects()?;
            let differs = match stepped {
                Err(_) => Some("failed once"),
                Ok(other) if other != result => Some("returned two values"),
                Ok(_) if again.waiting_for() != self.waiting_for() => Some("asked for two things"),
                Ok(_) if again.messages != self.messages => Some("sent two things"),
                Ok(_) if again.replies != self.replies => Some("answered two things"),
                Ok(_) if result.is_none() => {
                    let saved = |run: &Self| run.save().map_err(StepError::Encode);
                    (saved(self)? != saved(&again)?).then_some("saved two states")
                }
                Ok(_) => None,
            };
            if let Some(differs) = differs {
                return Err(StepError::Unrepeatable { state, differs });
            }
            if let Some(result) = result {
                return returned::<W>(&result);
            }
        }
        Ok(Progress::Waiting)
    }

    /// Makes one step. Returns the workflow's return value, if it has returned.
    fn step(&mut self, now: Timestamp) -> Result<Option<Payload>, StepError> {
        let outcome = self.machine.step(now)?;
        let consumed = self.machine.take_consumed();
        let set_aside = self.machine.take_set_aside();
        let is_set_aside = |seq| set_aside.iter().any(|signal| signal.seq == Some(seq));
        self.inbox.retain(|(seq, _)| !consumed.contains(seq) && !is_set_aside(*seq));
        self.set_aside.extend(set_aside);
        self.messages.append(&mut self.machine.take_messages());
        self.replies.append(&mut self.machine.take_replies());
        Ok(match outcome {
            StepOutcome::Parked => None,
            StepOutcome::Returned { result, .. } => Some(result),
            StepOutcome::Continued(next) => {
                self.go_on_as(&next)?;
                None
            }
            StepOutcome::Compensated(ending) => match ending.close() {
                (_, Some(result), _) => Some(result),
                (RunStatus::Cancelled, None, _) => return Err(StepError::Cancelled),
                (_, None, failure) => return Err(StepError::Failed(Error::msg(failure))),
            },
        })
    }

    /// Continues as another run, with the remaining signals. The id stays.
    fn go_on_as(&mut self, next: &NextRun) -> Result<(), StepError> {
        if next.entry.type_id != W::entry().type_id {
            let message = format!(
                "the run continues as one of `{}`, which only an engine can do",
                next.workflow
            );
            return Err(StepError::Failed(Error::msg(message)));
        }
        self.machine = Machine::start(next.entry, self.run.clone(), &next.arguments)?;
        self.machine.take_answers_over(next.answers.clone());
        self.inbox.retain(|(_, arrived)| !matches!(arrived, Arrived::Outcome(..)));
        for (seq, arrived) in &self.inbox {
            deliver(&mut self.machine, *seq, arrived.clone());
        }
        Ok(())
    }

    fn arrive(&mut self, arrived: Arrived) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.inbox.push((seq, arrived.clone()));
        deliver(&mut self.machine, seq, arrived);
    }
}

impl<W> fmt::Debug for Standalone<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standalone")
            .field("run", &self.run)
            .field("machine", &self.machine)
            .field("inbox", &self.inbox)
            .finish_non_exhaustive()
    }
}

fn returned<W: Workflow>(result: &Payload) -> Result<Progress<W::Return>, StepError> {
    W::RETURNED.decode(result).map(Progress::Returned).map_err(StepError::Decode)
}

fn deliver(machine: &mut Machine, seq: i64, arrived: Arrived) {
    match arrived {
        Arrived::Outcome(handle, outcome) => machine.deliver_outcome(Some(seq), handle, outcome),
        Arrived::Signal(name, payload) => machine.deliver_signal(Some(seq), name, payload),
        Arrived::Cancel(reason) => machine.deliver_cancel(Some(seq), reason),
        Arrived::Update { name, id, payload } => {
            machine.deliver_update(Some(seq), name, id, payload);
        }
    }
}
