//! Children: each is started once, after its parent's step is committed; a run gets the end of each child that it
//! awaits once; when a parent ends, the policy is applied to each child once.

use std::collections::{BTreeMap, BTreeSet};

use piton::machine::OperationOutcome;
use piton::model::{ChildEnd, Handle, Message, ParentClose, RunId, RunStatus};
use piton::store::{ArrivalKind, CommitStep, Effect};

use super::chains::Chains;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Kin {
    children: BTreeMap<RunId, Child>,
    /// The awaited child of each wait.
    waits: BTreeMap<(RunId, Handle), RunId>,
    /// The waits that got the end.
    told: BTreeSet<(RunId, Handle)>,
    /// How runs have ended.
    ended: BTreeMap<RunId, RunStatus>,
    /// The children that have a request to cancel because their parent has ended.
    asked: BTreeSet<RunId>,
    /// The runs that have had each workflow id.
    holders: BTreeSet<(String, RunId)>,
}

#[derive(Debug)]
struct Child {
    parent: RunId,
    workflow_id: String,
    policy: ParentClose,
    /// Whether the policy is applied when its parent ends, even if another run follows that.
    ends_with_run: bool,
    /// The process that has committed the parent's step.
    by: String,
    is_started: bool,
}

impl Kin {
    /// Records the messages of a committed step of the process `who`. Returns a violation.
    pub(super) fn sent(&mut self, who: &str, step: &CommitStep) -> Option<String> {
        let mut violation = None;
        for effect in &step.effects {
            let Effect::Send(message) = effect else { continue };
            match &message.body {
                Message::Start(start) => {
                    let child = Child {
                        parent: step.run_id,
                        workflow_id: message.to.clone(),
                        policy: start.on_parent_close,
                        ends_with_run: start
                            .options
                            .as_ref()
                            .is_some_and(|options| options.ends_with_run),
                        by: who.to_owned(),
                        is_started: false,
                    };
                    if let Some(handle) = start.awaited_by {
                        self.waits.insert((step.run_id, handle), start.run_id);
                    }
                    if self.children.insert(start.run_id, child).is_some() {
                        violation = Some(format!("asks for the child {} twice", start.run_id));
                    }
                }
                Message::AwaitChild { child, handle } => {
                    self.waits.insert((step.run_id, *handle), *child);
                }
                _ => {}
            }
        }
        violation
    }

    /// The process that has made the first state of a child.
    pub(super) fn made_by(&self, run_id: RunId) -> Option<&str> {
        self.children.get(&run_id).map(|child| child.by.as_str())
    }

    /// Records a start. `is_from_outside` says whether a client may have started it. Returns a violation.
    pub(super) fn started(
        &mut self,
        run_id: RunId,
        workflow_id: &str,
        is_from_outside: bool,
    ) -> Option<String> {
        self.holders.insert((workflow_id.to_owned(), run_id));
        match self.children.get_mut(&run_id) {
            None if is_from_outside => None,
            None => Some(format!("{workflow_id} was started, and no step has asked for it")),
            Some(child) if child.is_started => Some(format!("{workflow_id} was started twice")),
            Some(child) => {
                child.is_started = true;
                let is_right = child.workflow_id == workflow_id;
                (!is_right).then(|| format!("{workflow_id} was to be {}", child.workflow_id))
            }
        }
    }

    /// A run has ended like this.
    pub(super) fn ended(&mut self, run_id: RunId, status: RunStatus) {
        self.ended.insert(run_id, status);
    }

    /// Records a terminated run. Returns a violation if it is a child whose parent is open: only the parent's end
    /// terminates children.
    pub(super) fn terminated(&self, run_id: RunId, chains: &Chains) -> Option<String> {
        let child = self.children.get(&run_id)?;
        if child.policy != ParentClose::Terminate {
            return Some(format!("was terminated, and its policy is {:?}", child.policy));
        }
        let is_over = self.is_over(child, chains);
        (!is_over).then(|| "was terminated, and its parent is open".to_owned())
    }

    /// Whether the policy of a child may be applied.
    fn is_over(&self, child: &Child, chains: &Chains) -> bool {
        let run_id = match child.ends_with_run {
            true => child.parent,
            false => chains.last_of(child.parent),
        };
        self.ended.contains_key(&run_id)
    }

    /// Records an arrival. Returns a violation.
    pub(super) fn came(
        &mut self,
        run_id: RunId,
        kind: &ArrivalKind,
        chains: &Chains,
    ) -> Option<String> {
        match kind {
            ArrivalKind::Outcome { handle, outcome: OperationOutcome::Child(end) } => {
                self.told((run_id, *handle), end)
            }
            ArrivalKind::Cancel { reason } if reason.starts_with(BY_PARENT) => {
                let Some(child) = self.children.get(&run_id) else {
                    return Some("was asked to cancel as a child, and is none".to_owned());
                };
                if child.policy != ParentClose::RequestCancel {
                    return Some(format!(
                        "was asked to cancel, and its policy is {:?}",
                        child.policy
                    ));
                }
                if !self.is_over(child, chains) {
                    return Some("was asked to cancel, and its parent is open".to_owned());
                }
                let is_first = self.asked.insert(run_id);
                (!is_first).then(|| "was asked to cancel twice by its parent's end".to_owned())
            }
            _ => None,
        }
    }

    fn told(&mut self, wait: (RunId, Handle), end: &ChildEnd) -> Option<String> {
        let Some(child_id) = self.waits.get(&wait) else {
            return Some(format!("was told of the end of a child that it does not await: {end:?}"));
        };
        if !self.told.insert(wait) {
            return Some(format!("was told twice of the end of {child_id}"));
        }
        let child = self.children.get(child_id);
        let is_right = match end {
            ChildEnd::Closed { status, .. } => self.ended.get(child_id) == Some(status),
            ChildEnd::IdTaken { run_id } => child.is_some_and(|child| {
                !child.is_started && self.holders.contains(&(child.workflow_id.clone(), *run_id))
            }),
            _ => false,
        };
        (!is_right).then(|| {
            let ended = self.ended.get(child_id);
            format!("was told {end:?} of {child:?}, which ended as {ended:?}")
        })
    }

    /// The expected events that have not happened.
    pub(super) fn left(&self) -> impl Iterator<Item = String> {
        let left = self.children.values().filter(|child| {
            let id = &child.workflow_id;
            let is_taken = self.holders.iter().any(|(workflow_id, _)| workflow_id == id);
            !child.is_started && !is_taken
        });
        left.map(|child| format!("{} was never started", child.workflow_id))
    }
}

/// The beginning of the reason of a request to cancel that follows from the parent's end.
const BY_PARENT: &str = "its parent, ";
