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

/// One run of `W`, driven by hand: see what it waits for, save it to bytes, load it elsewhere, and
/// let it go on with a reply.
///
/// For games, devices and tools that want an `async fn` as a value. The program carries out what
/// [`Standalone::waiting_for`] names, in whatever way it likes; nothing starts of itself.
/// `examples/src/game.rs` is a game whose every move is another process.
///
/// Of the crate's features it needs `macros` alone, so neither tokio nor sqlx is built
/// (`default-features = false, features = ["macros"]`). What is left is meant to build for wasm32,
/// which is not tested. Where there is no clock and no source of randomness, as on
/// wasm32-unknown-unknown, take [`Standalone::start_as`] for [`Standalone::start`], and a time of your
/// own for [`Standalone::advance`].
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
    /// What has arrived and has not been used up, by number.
    inbox: Vec<(i64, Arrived)>,
    next_seq: i64,
    /// What the run has sent and the program has not taken.
    messages: Vec<OutgoingMessage>,
    /// What it has answered to updates and the program has not taken.
    replies: Vec<NewReply>,
    /// What it could not read and nobody has taken.
    set_aside: Vec<SetAside>,
    workflow: PhantomData<fn() -> W>,
}

/// How far a machine has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// It waits for something that has not arrived.
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
    /// A run before its first step, with a new id. Not on wasm32-unknown-unknown, which has no source of
    /// randomness.
    ///
    /// # Errors
    /// [`StepError::Encode`] if an argument cannot be encoded.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    pub fn start(call: WorkflowCall<W>) -> Result<Self, StepError> {
        Self::start_as(RunId::new(), call)
    }

    /// A run before its first step, with an id from elsewhere. The run's random numbers derive from it.
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

    /// The run as bytes, with what has arrived for it.
    ///
    /// # Errors
    /// Does not happen for what this crate has made.
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

    /// A run as it was when it was saved.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if `bytes` is not a saved run, or one of a format that this build does not
    /// know. That it is one of another workflow, or
    /// of an older definition, is told by the next [`Standalone::advance`].
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

    /// The names of the states that the `async` blocks in the branches of a `join!` or `select!` are in,
    /// such as `join.0.charge`, each before those in its own branches. None if the run waits for nothing
    /// of the kind; a block that is done has no state.
    ///
    /// # Errors
    /// [`StepError::Definition`] if another definition wrote the state, and [`StepError::Decode`] if it
    /// is damaged.
    pub fn branches(&self) -> Result<Vec<&'static str>, StepError> {
        self.machine.branches()
    }

    /// What the run has asked for and not been given, in the order it was asked for.
    pub fn waiting_for(&self) -> Vec<(Handle, Operation)> {
        self.machine.with_operations(<[_]>::to_vec)
    }

    /// Takes what the run has sent to others with [`Context::signal_run`](super::Context::signal_run) and
    /// has not been taken yet, in the order in which it was sent. [`Standalone::save`] keeps what has not
    /// been taken.
    pub fn take_messages(&mut self) -> Vec<OutgoingMessage> {
        std::mem::take(&mut self.messages)
    }

    /// Takes what the run has answered to updates and has not been taken yet. [`Standalone::save`] keeps what has not
    /// been taken.
    pub fn take_replies(&mut self) -> Vec<NewReply> {
        std::mem::take(&mut self.replies)
    }

    /// Takes the signals that the run could not read since the last call. [`Standalone::save`] does not keep
    /// them.
    pub fn take_set_aside(&mut self) -> Vec<SetAside> {
        std::mem::take(&mut self.set_aside)
    }

    /// Answers an activity with what its function would return.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the value cannot be encoded.
    pub fn reply<T: Serialize>(&mut self, to: Handle, returned: &T) -> Result<(), CodecError> {
        let outcome = OperationOutcome::Returned(codec::to_tagged_payload(returned)?);
        self.arrive(Arrived::Outcome(to, outcome));
        Ok(())
    }

    /// Ends an operation in another way than by a value.
    pub fn end(&mut self, operation: Handle, outcome: OperationOutcome) {
        self.arrive(Arrived::Outcome(operation, outcome));
    }

    /// Sends a signal. It is kept until the run asks for one of its type.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the signal cannot be encoded.
    pub fn signal<S: Signal>(&mut self, signal: &S) -> Result<(), CodecError> {
        self.arrive(Arrived::Signal(S::NAME.to_owned(), signal.to_payload()?));
        Ok(())
    }

    /// Sends an update under an id, which [`Standalone::take_replies`] gives with the answer. It is kept until the
    /// run asks for one of its type.
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

    /// Asks the run to cancel.
    pub fn cancel(&mut self, reason: impl Into<String>) {
        self.arrive(Arrived::Cancel(reason.into()));
    }

    /// Goes on for as long as what the run waits for is there. `now` decides on timers; a program
    /// may keep a time of its own.
    ///
    /// # Errors
    /// See [`StepError`]. The run must not be advanced again; what was saved before still can.
    ///
    /// # Panics
    /// If the workflow's code does. In a program in which panics end the process (`panic = "abort"`, and as a rule on
    /// wasm32), a saved local that cannot be read is one, and no error.
    pub fn advance(&mut self, now: Timestamp) -> Result<Progress<W::Return>, StepError> {
        while self.machine.is_ready(now) {
            if let Some(result) = self.step(now)? {
                return returned::<W>(&result);
            }
        }
        Ok(Progress::Waiting)
    }

    /// As [`Standalone::advance`], and makes each step once more from the same state, to compare what the two
    /// come to. For tests: what the compiler cannot see, a clock behind the innocent name of a function, or
    /// the order of a hash map in an argument, most likely differs.
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
    /// [`StepError::Unrepeatable`] if a step gives another state, asks for, sends or returns something
    /// else. Otherwise as [`Standalone::advance`].
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

    /// Makes one step. Gives what the workflow has returned, if it has.
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

    /// The run continues as another one, with the signals that are left. Its id stays.
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
