//! The observable behavior of a program.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};

use serde::{Deserialize, Serialize};

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
    #[serde(skip)]
    saved: Cell<bool>,
}

impl Noisy {
    /// A value that is known by `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), saved: Cell::new(false) }
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
            push(format!("drop {}", self.name));
        }
    }
}

impl Serialize for Noisy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        self.saved.set(true);
        let mut noisy = serializer.serialize_struct("Noisy", 1)?;
        noisy.serialize_field("name", &self.name)?;
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
    /// All must be the same, but for drops. Each value must be dropped as often, and no later than by the
    /// plain code. It may be dropped earlier, since rustc sees to it that nothing uses it after that, and
    /// several values may be dropped in any order.
    pub fn is_kept_by(&self, machine: &Self) -> bool {
        let mut ahead = Ahead::new();
        let turns_agree = self.turns.iter().zip(&machine.turns).all(|(plain, machine)| {
            plain.has_events_of(machine, &mut ahead)
                && plain.delivered == machine.delivered
                && plain.started == machine.started
                && plain.given_up == machine.given_up
        });
        let is_over = matches!(self.end, End::Returned(_));
        self.turns.len() == machine.turns.len()
            && self.end == machine.end
            && turns_agree
            && (!is_over || ahead.values().all(|count| *count == 0))
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

/// How many drops of each value the machine is ahead of the plain code.
type Ahead<'a> = BTreeMap<&'a str, usize>;

impl Turn {
    /// Whether the events of a machine's turn are these, but for drops that come early.
    fn has_events_of<'a>(&'a self, machine: &'a Self, ahead: &mut Ahead<'a>) -> bool {
        let is_drop = |event: &&str| event.starts_with("drop ");
        let mut plain = self.events.iter().map(String::as_str).peekable();
        let machine = machine.events.iter().map(String::as_str);
        let mut machine = machine.filter(|event| *event != PARKED).peekable();
        loop {
            while let Some(event) = machine.next_if(is_drop) {
                *ahead.entry(event).or_default() += 1;
            }
            while let Some(event) = plain.next_if(is_drop) {
                match ahead.get_mut(event) {
                    Some(count @ 1..) => *count -= 1,
                    _ => return false,
                }
            }
            match (plain.next(), machine.next()) {
                (None, None) => return true,
                (plain, machine) if plain == machine => {}
                _ => return false,
            }
        }
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
        let kept = |turns: &[&[&str]]| plain.is_kept_by(&record(turns));
        assert!(kept(&[&["note 1"], &["drop a", "note 2"], &["drop a", "drop b"]]));
        assert!(kept(&[&["note 1"], &["drop a", "note 2"], &["drop b", "drop a"]]), "order");
        assert!(kept(&[&["note 1", "drop a"], &["note 2", "drop a"], &["drop b"]]));
        assert!(kept(&[&["drop b", "note 1", "drop a", "parked"], &["note 2", "drop a"], &[]]));
        assert!(!kept(&[&["note 1"], &["note 2"], &["drop a", "drop a", "drop b"]]), "late");
        assert!(!kept(&[&["note 1"], &["note 2", "drop a"], &["drop a", "drop b"]]), "late");
        assert!(!kept(&[&["note 1"], &["drop a", "note 2"], &["drop a"]]), "never");
        assert!(!kept(&[&["note 1"], &["drop a", "note 3"], &["drop a", "drop b"]]), "note");
        let twice = [&["note 1", "drop b"][..], &["drop a", "note 2"], &["drop a", "drop b"]];
        assert!(!kept(&twice), "twice");
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
