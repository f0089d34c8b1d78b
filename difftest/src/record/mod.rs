//! The observable behavior of a program.

mod alignment;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};

use serde::{Deserialize, Serialize};

use self::alignment::{Alignment, LeftOut, is_drop, is_part};

thread_local! {
    static EVENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Records that `value` was evaluated, and gives it back: this is how a program shows the order in
/// which it evaluates.
pub fn note<T: Debug>(value: T) -> T {
    push(format!("note {value:?}"));
    value
}

fn push(event: String) {
    // While a panic unwinds, what is dropped depends on what the state was read into.
    if !std::thread::panicking() {
        EVENTS.with_borrow_mut(|events| events.push(event));
    }
}

/// What stands among the events of a machine where it has parked, or would have, and goes on within the
/// turn, because what it waits for is there already.
const PARKED: &str = "parked";

/// Records that a machine has left the code up to an await, and goes on at once.
pub(crate) fn parked() {
    push(PARKED.to_owned());
}

/// The events since the last call.
pub(crate) fn take_events() -> Vec<String> {
    EVENTS.take()
}

/// How many events there are.
pub(crate) fn mark() -> usize {
    EVENTS.with_borrow(Vec::len)
}

/// Takes the events since [`mark`] back.
pub(crate) fn take_events_from(mark: usize) -> Vec<String> {
    EVENTS.with_borrow_mut(|events| events.split_off(mark))
}

/// Whether `events` are those since [`mark`].
pub(crate) fn ends_with(mark: usize, events: &[String]) -> bool {
    EVENTS.with_borrow(|all| all[mark..] == *events)
}

/// A value whose drop is recorded.
///
/// A machine also drops what it saves, when it parks. That is not the drop of the value, which
/// lives on in the state, so a value that has been encoded goes silently.
#[derive(Debug, Deserialize)]
pub struct Noisy {
    name: String,
    is_part: bool,
    #[serde(skip)]
    saved: Cell<bool>,
}

/// Makes a value one of those that may be part of another. When the other has lost one of its parts, a
/// machine may drop what is left of it where control goes from one part of the step to the next, and
/// not at the end of its scope. So the drop of such a value may come early within its turn, too.
pub fn part(mut value: Noisy) -> Noisy {
    value.is_part = true;
    value
}

impl Noisy {
    /// A value that is known by `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_part: false, saved: Cell::new(false) }
    }

    /// What the value is known by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Changes what the value is known by.
    pub fn rename(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }
}

impl Drop for Noisy {
    fn drop(&mut self) {
        if !self.saved.get() {
            let what = if self.is_part { "drop part" } else { "drop" };
            push(format!("{what} {}", self.name));
        }
    }
}

impl Serialize for Noisy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        self.saved.set(true);
        let mut noisy = serializer.serialize_struct("Noisy", 2)?;
        noisy.serialize_field("name", &self.name)?;
        noisy.serialize_field("is_part", &self.is_part)?;
        noisy.end()
    }
}

/// What happened between two deliveries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Operations that became ready.
    pub delivered: Vec<String>,
    /// Notes and drops, in order.
    pub events: Vec<String>,
    /// Operations started, in order.
    pub started: Vec<String>,
    /// Operations given up, oldest first.
    pub given_up: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It returned this value, in its debug form.
    Returned(String),
    /// It panicked with this message.
    Panicked(String),
    /// It waits for something that cannot come.
    Stuck,
    /// It was not over after as many turns as a program may take.
    Endless,
    /// The step failed, which plain code never does.
    Failed(String),
}

/// Everything that was observed of one run of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What happened, in order.
    pub turns: Vec<Turn>,
    /// How it ended.
    pub end: End,
}

impl Record {
    /// Whether a machine did what rustc's lowering did, of which this is the record.
    ///
    /// All must be the same, but for this: a machine parks without the locals that are not used
    /// again, so those are dropped then and not at the end of their scope. Every value must be
    /// dropped as often, no later, and in the same order where it is dropped in the same turn, but for
    /// those of [`part`], which may come early there, too, and those that come last before the machine
    /// parks within the turn.
    pub fn is_kept_by(&self, machine: &Self) -> bool {
        let mut early = Vec::new();
        let turns_agree = self.turns.iter().zip(&machine.turns).all(|(plain, machine)| {
            plain.has_events_of(machine, &mut early)
                && plain.delivered == machine.delivered
                && plain.started == machine.started
                && plain.given_up == machine.given_up
        });
        let is_over = matches!(self.end, End::Returned(_));
        self.turns.len() == machine.turns.len()
            && self.end == machine.end
            && turns_agree
            && (!is_over || early.is_empty())
    }

    /// The record as text for people, one observation a line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for turn in &self.turns {
            let columns = [
                ("ready", &turn.delivered),
                ("  ", &turn.events),
                ("  start", &turn.started),
                ("  give up", &turn.given_up),
            ];
            for (label, lines) in columns {
                for line in lines {
                    // Writing to a String cannot fail.
                    let _ = writeln!(text, "{label} {line}");
                }
            }
        }
        let _ = writeln!(text, "{:?}", self.end);
        text
    }
}

impl Turn {
    /// Whether the events of a machine's turn are these, but for drops that come early. Those are
    /// added to `early`, and struck off when they come here.
    fn has_events_of<'a>(&'a self, machine: &'a Self, early: &mut Vec<&'a String>) -> bool {
        let drops = |turn: &'a Self| turn.events.iter().filter(|event| is_drop(event));
        let mut struck: BTreeMap<&str, usize> = BTreeMap::new();
        let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
        for event in self.events.iter().filter(|event| is_drop(event)) {
            match early.iter().position(|other| *other == event) {
                Some(place) => {
                    early.remove(place);
                    *struck.entry(event).or_default() += 1;
                }
                None => *expected.entry(event).or_default() += 1,
            }
        }
        // What is left of both sides happens in this turn on both, in the same order.
        let mut new: BTreeMap<&str, usize> = BTreeMap::new();
        for event in drops(machine) {
            match expected.get_mut(event.as_str()).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => {
                    early.push(event);
                    *new.entry(event).or_default() += 1;
                }
            }
        }
        let parts: Vec<&String> = early.extract_if(.., |event| is_part(event)).collect();
        let (plain, events) = (&self.events, &machine.events);
        let mut alignment = Alignment::new(plain, events, parts);
        let left_out = LeftOut { plain: struck, machine: new, ..LeftOut::default() };
        let same = expected.values().all(|count| *count == 0) && alignment.holds(0, 0, &left_out);
        early.extend(alignment.parts_left(plain.len(), events.len()));
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(turns: &[&[&str]]) -> Record {
        let turn = |events: &&[&str]| Turn {
            events: events.iter().map(|event| (*event).to_owned()).collect(),
            ..Turn::default()
        };
        Record { turns: turns.iter().map(turn).collect(), end: End::Returned(String::new()) }
    }

    #[test]
    fn drops_may_come_early_but_not_late_and_not_twice() {
        let plain = record(&[&["note 1"], &["drop a", "note 2"], &["drop a", "drop b"]]);
        let kept = |machine: &[&[&str]]| plain.is_kept_by(&record(machine));
        assert!(kept(&[&["note 1"], &["drop a", "note 2"], &["drop a", "drop b"]]));
        assert!(kept(&[&["note 1", "drop a"], &["note 2", "drop a"], &["drop b"]]));
        assert!(!kept(&[&["note 1"], &["note 2"], &["drop a", "drop a", "drop b"]]), "late");
        assert!(!kept(&[&["note 1"], &["note 2", "drop a"], &["drop a", "drop b"]]), "order");
        assert!(!kept(&[&["note 1"], &["drop a", "note 2"], &["drop a"]]), "never");
        assert!(!kept(&[&["drop b"], &["drop a", "note 2"], &["drop a", "drop b"]]), "note");
        let twice = [&["note 1", "drop b"][..], &["drop a", "note 2"], &["drop a", "drop b"]];
        assert!(!kept(&twice), "twice");
        // Of two of the same name, either may be the one that came early.
        let plain = record(&[&["note 1"], &["drop a", "note 2", "drop a", "drop b"]]);
        let kept = |machine: &[&[&str]]| plain.is_kept_by(&record(machine));
        assert!(kept(&[&["note 1", "drop a"], &["drop a", "note 2", "drop b"]]));
        assert!(kept(&[&["note 1", "drop a"], &["note 2", "drop a", "drop b"]]));
        assert!(!kept(&[&["note 1", "drop a"], &["note 2", "drop b", "drop a"]]));
    }

    #[test]
    fn parts_may_come_early_in_their_turn_and_not_late() {
        let plain = record(&[&["note 1", "drop part a"], &["drop b", "drop part c", "note 2"]]);
        let kept = |machine: &[&[&str]]| plain.is_kept_by(&record(machine));
        assert!(kept(&[&["note 1", "drop part a"], &["drop b", "drop part c", "note 2"]]));
        assert!(kept(&[&["drop part a", "note 1"], &["drop part c", "drop b", "note 2"]]));
        assert!(kept(&[&["note 1", "drop part c", "drop part a"], &["drop b", "note 2"]]));
        assert!(!kept(&[&["note 1"], &["drop part a", "drop b", "drop part c", "note 2"]]), "late");
        assert!(!kept(&[&["note 1", "drop part a"], &["drop b", "note 2", "drop part c"]]), "late");
        assert!(!kept(&[&["note 1", "drop part a"], &["drop b", "note 2"]]), "never");
        let twice =
            [&["note 1", "drop part a", "drop part a"][..], &["drop b", "drop part c", "note 2"]];
        assert!(!kept(&twice), "twice");
        // What comes early stands before a part that does not.
        let plain = record(&[&["drop part a", "note 1"], &["drop b"]]);
        let kept = |machine: &[&[&str]]| plain.is_kept_by(&record(machine));
        assert!(kept(&[&["drop b", "drop part a", "note 1"], &[]]));
        assert!(!kept(&[&["drop b", "note 1", "drop part a"], &[]]), "late");
    }

    #[test]
    fn drops_may_come_early_where_the_machine_parks_within_a_turn() {
        let plain = record(&[&["note 1", "note 2", "drop a", "drop b"]]);
        let kept = |machine: &[&[&str]]| plain.is_kept_by(&record(machine));
        assert!(kept(&[&["note 1", "parked", "note 2", "drop a", "drop b"]]));
        assert!(kept(&[&["note 1", "drop b", "parked", "note 2", "drop a"]]));
        assert!(kept(&[&["note 1", "drop b", "drop a", "parked", "note 2"]]));
        assert!(kept(&[&["note 1", "drop b", "parked", "drop a", "parked", "note 2"]]));
        assert!(!kept(&[&["note 1", "parked", "note 2", "drop b", "drop a"]]), "not there");
        assert!(!kept(&[&["drop b", "note 1", "parked", "note 2", "drop a"]]), "before");
        assert!(!kept(&[&["drop b", "note 1", "note 2", "drop a"]]), "no parking");
        assert!(!kept(&[&["note 1", "drop b", "parked", "note 2"]]), "never");
        assert!(!kept(&[&["note 1", "drop b", "parked", "note 2", "drop a", "drop b"]]), "twice");
        // What is left behind stays in its order.
        let plain = record(&[&["drop a", "drop b", "note 1", "drop c"]]);
        let kept = |machine: &[&[&str]]| plain.is_kept_by(&record(machine));
        assert!(!kept(&[&["drop b", "note 1", "drop a", "parked", "drop c"]]), "order");
        assert!(kept(&[&["drop a", "drop c", "drop b", "parked", "note 1"]]));
    }

    #[test]
    fn a_saved_value_goes_silently_and_its_copy_does_not() {
        let value = Noisy::new("a");
        let json = serde_json::to_string(&value).expect("plain data");
        drop(value);
        assert!(take_events().is_empty());
        let copy: Noisy = serde_json::from_str(&json).expect("just written");
        drop(copy);
        assert_eq!(take_events(), ["drop a"]);
    }
}
