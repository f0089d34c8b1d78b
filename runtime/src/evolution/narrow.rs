//! Continuing a `select!` or a `join!` with only some of its operations, as a `#[migrate]` may require.

use super::names::base;
use super::plan::finding;
use super::{StoredAwaited, StoredDefinition, StoredState, Unfit};
use crate::codec::{self, CodecError};
use crate::machine::{PendingItem, StepError};
use crate::model::{AwaitKind, Difference, Handle, Payload, Timestamp};

/// Which branches of a saved state continue, and which are cancelled.
#[derive(Debug, PartialEq)]
pub(super) struct Narrowed {
    /// The branch whose operation is awaited alone; `None` if the current state has branches.
    pub(super) alone: Option<usize>,
    given_up: Vec<usize>,
}

/// Why a branch can be neither awaited alone nor cancelled.
pub(super) enum Stuck {
    /// A reason for the user.
    Reason(String),
    Damaged(CodecError),
}

impl Stuck {
    pub(super) fn of(
        self,
        now: &StoredDefinition,
        saved: &StoredState,
        found: &StoredState,
    ) -> Unfit {
        match self {
            Self::Reason(reason) => {
                finding(now, saved, Some(found), Difference::Migration { reason }).into()
            }
            Self::Damaged(error) => StepError::Decode(error).into(),
        }
    }
}

/// Maps a state with branches to one that awaits some of its operations: the saved branch of each current branch, and
/// the branches to cancel. `None` if that is impossible or not certain.
pub(super) fn narrow(saved: &StoredState, found: &StoredState) -> Option<(Vec<usize>, Narrowed)> {
    if !matches!(saved.kind, AwaitKind::Select | AwaitKind::Join) {
        return None;
    }
    let only = |is_it: &dyn Fn(&str, &StoredAwaited) -> bool| {
        let mut found = saved.branches.iter().enumerate().filter(|(_, branch)| {
            branch.awaited.as_ref().is_some_and(|awaited| is_it(&branch.name, awaited))
        });
        let (number, _) = found.next()?;
        found.next().is_none().then_some(number)
    };
    let kept = match &found.awaited {
        Some(now) => vec![only(&|_, before| before.is_same_as(now))?],
        None if found.kind == saved.kind => {
            let kept = found.branches.iter().map(|branch| {
                let now = branch.awaited.as_ref()?;
                let has_name = |name: &str| base(name) == base(&branch.name);
                let is_only =
                    found.branches.iter().filter(|other| has_name(&other.name)).count() == 1;
                only(&|name, before| has_name(name) && before.is_same_as(now)).filter(|_| is_only)
            });
            kept.collect::<Option<Vec<_>>>()?
        }
        None => return None,
    };
    let given_up: Vec<_> = (0..saved.branches.len()).filter(|old| !kept.contains(old)).collect();
    let can_be_given_up = given_up.iter().all(|old| {
        let awaited = saved.branches[*old].awaited.as_ref();
        awaited.is_some_and(|awaited| handles(awaited, &[]).is_some())
    });
    if !can_be_given_up {
        return None;
    }
    match found.awaited {
        Some(_) => Some((Vec::new(), Narrowed { alone: Some(kept[0]), given_up })),
        None => Some((kept, Narrowed { alone: None, given_up })),
    }
}

impl Narrowed {
    /// The operations that no branch awaits any more.
    pub(super) fn handles_given_up(
        &self,
        saved: &StoredState,
        operations: &[&[u8]],
    ) -> Result<Vec<Handle>, Stuck> {
        let mut all = Vec::new();
        for old in &self.given_up {
            let operation = operations.get(*old).copied().unwrap_or_default();
            let pending = outstanding(saved, *old, operation)?;
            let awaited = saved.branches[*old].awaited.as_ref();
            if let Some(read) = awaited.and_then(|awaited| handles(awaited, pending)) {
                all.extend(read.map_err(Stuck::Damaged)?);
            }
        }
        Ok(all)
    }
}

/// The saved operation of a branch; an error if the `join!` already has its outcome.
pub(super) fn outstanding<'a>(
    saved: &StoredState,
    branch: usize,
    operation: &'a [u8],
) -> Result<&'a [u8], Stuck> {
    if saved.kind != AwaitKind::Join || operation.is_empty() {
        return Ok(operation);
    }
    match codec::decode_first::<PendingItem<(), Payload>>(operation).map_err(Stuck::Damaged)? {
        (PendingItem::Pending(()), length) => Ok(&operation[length..]),
        (PendingItem::Ready(_), _) => Err(Stuck::Reason(format!(
            "the branch `{}` already has its outcome, which the state does not take",
            saved.branches[branch].name
        ))),
    }
}

/// The handles in a saved operation; `None` for a kind that combines several operations.
fn handles(awaited: &StoredAwaited, saved: &[u8]) -> Option<Result<Vec<Handle>, CodecError>> {
    let is_limited = match awaited {
        StoredAwaited::Activity { .. }
        | StoredAwaited::Child { .. }
        | StoredAwaited::Cancellation
        | StoredAwaited::Timer => false,
        StoredAwaited::Signal { is_limited, .. }
        | StoredAwaited::Update { is_limited, .. }
        | StoredAwaited::Promise { is_limited, .. } => *is_limited,
        _ => return None,
    };
    if saved.is_empty() {
        return Some(Ok(Vec::new()));
    }
    Some(match is_limited {
        false => codec::decode_first::<Handle>(saved).map(|(handle, _)| vec![handle]),
        true => codec::decode_first::<(Handle, Handle, Timestamp)>(saved)
            .map(|((operation, timer, _), _)| vec![operation, timer]),
    })
}
