//! The reasons why a saved state does not fit the current code.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::graph::loop_variable;
#[cfg(feature = "engine")]
use super::recorded;

/// Why the saved state of a run, written by other code, cannot continue in this code. The run is blocked with this
/// reason, and its state does not change, until code that fits is deployed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The workflow's stored name.
    pub workflow: String,
    /// The saved state.
    pub state: String,
    /// The source location of that state in the code that saved it.
    pub saved_at: String,
    /// The source location of the state in the present code, if it exists there.
    pub now_at: Option<String>,
    /// The difference.
    pub difference: Difference,
}

/// A difference between the code that saved a state and the present code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Difference {
    /// There is no such state.
    MissingState,
    /// The run is of another version of the workflow.
    OtherVersion {
        /// Its version.
        before: u32,
        /// The version that this build has.
        now: u32,
    },
    /// The same operation is awaited several times, and it is ambiguous which of the present awaits is meant.
    AmbiguousState {
        /// The operation.
        name: String,
        /// The former number of such awaits.
        before: u32,
        /// The present number.
        now: u32,
    },
    /// The state needs a local that was not saved.
    MissingLocal {
        /// The local.
        local: String,
        /// Saved locals that the state no longer needs. One of them may be the same local under a former name.
        unused: Vec<String>,
    },
    /// The state saves all of a local, of which only parts were saved: another part had been moved out of it.
    MissingPart {
        /// The local.
        local: String,
        /// A part that was not saved, or the local itself if its type does not list its parts.
        part: String,
    },
    /// Several bindings have the local's name, and it is ambiguous which of them was saved.
    AmbiguousLocal {
        /// The local.
        local: String,
    },
    /// The local has the binding code of another saved local, and it is ambiguous whether the two have exchanged their
    /// names.
    ExchangedLocal {
        /// The local.
        local: String,
        /// The former name of the value that is bound like this now.
        other: String,
    },
    /// The local is the position of a loop or the number of a branch, and the code that it refers to has changed.
    OtherSource {
        /// The local.
        local: String,
    },
    /// A pattern binds the local with others, and what it takes apart consists of the same words in another order: the parts
    /// may have changed places.
    ReorderedValue {
        /// The local.
        local: String,
    },
    /// Of two loops around the await, the one that was inside is outside now.
    OtherNesting {
        /// The variable of the loop that was outside.
        outer: String,
        /// The variable of the loop that was inside.
        inner: String,
    },
    /// The local is a value without a name, and the code computes another value, for another use.
    OtherTemporary {
        /// The local.
        local: String,
    },
    /// The local is a borrow that is made again after the await, and the code that makes it, or a constant in that code,
    /// has changed.
    OtherBorrow {
        /// The local.
        local: String,
    },
    /// A borrow or a position in the local was saved, and its present type may keep the items in another order.
    OtherOrder {
        /// The local.
        local: String,
    },
    /// The local has the handle of a child or a spawned operation, and the code expects that of another one.
    OtherHandle {
        /// The local.
        local: String,
        /// The operation of the handle.
        before: String,
        /// The operation that the code expects.
        now: String,
    },
    /// A branch in which the run waits no longer exists.
    MissingBranch {
        /// What it awaited.
        branch: String,
    },
    /// There is a new branch, which the run has not started.
    NewBranch {
        /// What it awaits.
        branch: String,
    },
    /// Several branches await the same operation, and it is ambiguous which is which.
    AmbiguousBranch {
        /// What they await.
        branch: String,
    },
    /// The state awaits another operation.
    OtherOperation {
        /// What it awaited.
        before: String,
        /// What it awaits now.
        now: String,
    },
    /// The `#[migrate]` of the state failed.
    Migration {
        /// The reason.
        reason: String,
    },
    /// A saved value does not fit its present type.
    Unreadable {
        /// The local, or another saved value.
        value: String,
        /// The mismatch.
        reason: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workflow, state, saved_at, now_at, difference } = self;
        write!(f, "the state `{state}` of `{workflow}`, saved at {saved_at}, ")?;
        if let Some(now_at) = now_at {
            write!(f, "now at {now_at}, ")?;
        }
        write!(f, "does not fit this build: {difference}; {}", self.help())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingState => f.write_str("there is no state of this name"),
            Self::OtherVersion { before, now } => {
                write!(
                    f,
                    "the run is of version {before} of the workflow, and this build has version {now}"
                )
            }
            Self::AmbiguousState { name, before, now } if before == now => write!(
                f,
                "`{name}` is awaited {now} times, and these awaits have changed, so it is unclear at which of them the run \
                 is parked"
            ),
            Self::AmbiguousState { name, before, now } => write!(
                f,
                "`{name}` was awaited {} and is awaited {} now, so it is unclear at which of these awaits the run is parked",
                Times(*before),
                Times(*now)
            ),
            Self::MissingLocal { local, unused } => {
                write!(f, "`{local}` is needed after the await and was not saved")?;
                match &unused[..] {
                    [] => Ok(()),
                    unused => write!(f, " (saved and no longer needed: `{}`)", unused.join("`, `")),
                }
            }
            Self::MissingPart { local, part } => {
                write!(f, "the state saves all of `{local}` now, and only parts of it were saved")?;
                if part == local { Ok(()) } else { write!(f, ", without `{part}`") }
            }
            Self::AmbiguousLocal { local } => {
                write!(
                    f,
                    "several bindings are named `{local}`, and it is unclear which of them was saved"
                )
            }
            Self::ExchangedLocal { local, other } => {
                write!(
                    f,
                    "`{local}` is bound now as `{other}` was, and it is unclear which of the two saved values it is"
                )
            }
            Self::OtherSource { local } => {
                write!(
                    f,
                    "`{local}` is a saved position, and the code that it refers to has changed, or a constant in that code"
                )
            }
            Self::ReorderedValue { local } => {
                write!(
                    f,
                    "the parts of the value that binds `{local}` and others may have changed places, and it is unclear \
                     which of them was saved"
                )
            }
            Self::OtherNesting { outer, inner } => {
                write!(
                    f,
                    "the loop over `{inner}` was inside the loop over `{outer}`, and is outside now"
                )
            }
            Self::OtherTemporary { local } => {
                write!(
                    f,
                    "`{local}` is a saved value without a name, and the code computes another value, for another use"
                )
            }
            Self::OtherBorrow { local } => {
                write!(
                    f,
                    "`{local}` is borrowed again after the await, and the code that makes the borrow has changed, or a \
                     constant in that code"
                )
            }
            Self::OtherOrder { local } => {
                write!(
                    f,
                    "a borrow of an item of `{local}` was saved, and the type of `{local}` may order the items in \
                     another way now"
                )
            }
            Self::OtherHandle { local, before, now } => {
                write!(
                    f,
                    "`{local}` has the handle of {before}, and the code expects that of {now}"
                )
            }
            Self::MissingBranch { branch } => {
                write!(f, "the run waits for the branch `{branch}`, which is gone")
            }
            Self::NewBranch { branch } => {
                write!(f, "the branch `{branch}` is new, and the run has not begun it")
            }
            Self::AmbiguousBranch { branch } => {
                write!(
                    f,
                    "several branches await `{branch}`, and it is unclear which branch each of them is now"
                )
            }
            Self::OtherOperation { before, now } => {
                write!(f, "the run waits for {before}, and the code awaits {now}")
            }
            Self::Migration { reason } => {
                write!(f, "its `#[migrate]` failed: {reason}")
            }
            Self::Unreadable { value, reason } => write!(f, "`{value}` cannot be read: {reason}"),
        }
    }
}

impl Finding {
    /// The finding as it is recorded, see [`recorded`].
    #[cfg(feature = "engine")]
    pub(crate) fn recorded(mut self) -> Self {
        if let Difference::Unreadable { reason, .. } = &mut self.difference {
            *reason = recorded(std::mem::take(reason));
        }
        self
    }

    /// How to fix it.
    pub fn help(&self) -> &'static str {
        match self.difference {
            Difference::MissingState => {
                "keep the await, give another one its name with `#[state(\"…\")]`, or write a `#[migrate]`"
            }
            Difference::OtherVersion { .. } => {
                "keep the function of that version beside the new one until its runs have ended"
            }
            Difference::AmbiguousState { .. } => {
                "give a new await its own name with `#[state(\"…\")]`, or keep the text of all but one of them"
            }
            Difference::MissingLocal { ref local, .. } if loop_variable(local).is_some() => {
                "keep the loops around the await and the names of their variables, or write a `#[migrate]`"
            }
            Difference::MissingLocal { .. } => {
                "keep the old name or state it with `#[formerly(\"…\")]`, make the value after the await, or write a `#[migrate]`"
            }
            Difference::MissingPart { .. } => {
                "move a part out of it before the await, so that the state saves the other parts, or write a `#[migrate]`"
            }
            Difference::AmbiguousLocal { .. } => "give the new binding another name",
            Difference::ExchangedLocal { .. } => {
                "give both bindings names that none had, with `#[formerly(\"…\")]`, or write a `#[migrate]`"
            }
            Difference::OtherSource { .. } => {
                "keep the expression that the loop iterates over, or the branches with the value, or write a `#[migrate]`"
            }
            Difference::ReorderedValue { .. } => {
                "keep the order in the expression, or give the bindings other names, and write a `#[migrate]`"
            }
            Difference::OtherNesting { .. } => {
                "keep the order of the two loops, or write a `#[migrate]`"
            }
            Difference::OtherTemporary { .. } => {
                "keep the expression that computes it or the one that uses it, or write a `#[migrate]`"
            }
            Difference::OtherBorrow { .. } => {
                "keep the borrowed expression, or give the new borrow another name, and the runs use its new value"
            }
            Difference::OtherOrder { .. } => {
                "keep the list, the set or the map, with its keys, for the runs that wait here, or write a `#[migrate]`"
            }
            Difference::OtherHandle { .. } => {
                "give the handle of the other operation another name, or write a `#[migrate]`; a renamed workflow states \
                 its old name with `formerly`"
            }
            Difference::MissingBranch { .. } | Difference::NewBranch { .. } => {
                "keep the branches for the runs that wait here, or write a `#[migrate]`"
            }
            Difference::AmbiguousBranch { .. } => {
                "keep their order, or write a `#[migrate]`; `#[state(\"…\")]` on branches distinguishes them from then on"
            }
            Difference::OtherOperation { .. } => "await the same, or write a `#[migrate]`",
            Difference::Migration { .. } => "mend that function",
            Difference::Unreadable { .. } => {
                // The schema does not show the attributes of serde.
                "unless the type can read the saved value already, make it able to (`#[serde(default)]`, \
                 `#[serde(alias)]`), add a field to an argument instead of a parameter, or write a `#[migrate]`"
            }
        }
    }
}

/// How often something occurs.
struct Times(u32);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("nowhere"),
            1 => f.write_str("once"),
            2 => f.write_str("twice"),
            n => write!(f, "{n} times"),
        }
    }
}
