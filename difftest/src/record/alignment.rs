//! Compares the drops of a machine with those of the plain code.

use std::collections::{BTreeMap, BTreeSet};

use super::PARKED;

/// Whether the event is a drop that is in its order unless it comes in an earlier turn.
pub(super) fn is_drop(event: &str) -> bool {
    event.starts_with("drop ") && !is_part(event)
}

/// Whether the event is the drop of what may be a part of another value.
pub(super) fn is_part(event: &str) -> bool {
    event.starts_with("drop part ")
}

/// How many drops of each value there are.
type Counts<'a> = BTreeMap<&'a str, usize>;

/// The drops that are yet to be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LeftOut<'a> {
    /// Of the plain code, because they came in an earlier turn of the machine.
    pub(super) plain: Counts<'a>,
    /// Of the machine, because they come in a later turn of the plain code.
    pub(super) machine: Counts<'a>,
    /// Of the plain code, because they came where the machine was about to park within the turn.
    pub(super) parking: Counts<'a>,
    /// The same, and it has parked since.
    pub(super) parked: Counts<'a>,
}

/// Two lists of events that are to be the same but for some drops. Values may have the same name, so
/// which of their drops are left out is tried.
pub(super) struct Alignment<'a> {
    plain: &'a [String],
    machine: &'a [String],
    /// The parts that have been dropped in earlier turns, early.
    parts: Vec<&'a String>,
    /// What has been tried: positions in both lists, and what is yet to be left out.
    failed: BTreeSet<(usize, usize, LeftOut<'a>)>,
}

impl<'a> Alignment<'a> {
    pub(super) fn new(plain: &'a [String], machine: &'a [String], parts: Vec<&'a String>) -> Self {
        Self { plain, machine, parts, failed: BTreeSet::new() }
    }

    /// Whether the lists are the same from these positions on.
    pub(super) fn holds(&mut self, at: usize, of: usize, left_out: &LeftOut<'a>) -> bool {
        let (left, right) = (self.plain.get(at), self.machine.get(of));
        if left.is_none() && right.is_none() {
            return left_out.parked.is_empty();
        }
        if right.is_some_and(|event| event == PARKED) {
            let mut left_out = left_out.clone();
            for (event, count) in std::mem::take(&mut left_out.parking) {
                *left_out.parked.entry(event).or_default() += count;
            }
            return self.holds(at, of + 1, &left_out);
        }
        if right.is_some_and(|event| is_part(event)) {
            return self.holds(at, of + 1, left_out);
        }
        let is_left_part = left.is_some_and(|event| is_part(event));
        if let Some(event) = left.filter(|_| is_left_part)
            && self.parts_left(at, of).contains(&event)
        {
            return self.holds(at + 1, of, left_out);
        }
        let tried = (at, of, left_out.clone());
        if self.failed.contains(&tried) {
            return false;
        }
        let same = left.is_some() && left == right;
        let mut holds = same && self.holds(at + 1, of + 1, left_out);
        // A part that is dropped here must have been before, perhaps behind what comes early.
        if let Some(event) = left.filter(|_| !holds && !is_left_part) {
            let LeftOut { plain, parked, .. } = left_out;
            let plain = without(plain, event).map(|plain| LeftOut { plain, ..left_out.clone() });
            let parked =
                without(parked, event).map(|parked| LeftOut { parked, ..left_out.clone() });
            let mut ways = plain.into_iter().chain(parked);
            holds = ways.any(|left_out| self.holds(at + 1, of, &left_out));
        }
        if let Some(event) = right.filter(|_| !holds) {
            let LeftOut { machine, parking, .. } = left_out;
            let machine =
                without(machine, event).map(|machine| LeftOut { machine, ..left_out.clone() });
            let parking = self.is_about_to_park(of).then(|| {
                let mut parking = parking.clone();
                *parking.entry(event).or_default() += 1;
                LeftOut { parking, ..left_out.clone() }
            });
            let mut ways = machine.into_iter().chain(parking);
            holds = ways.any(|left_out| self.holds(at, of + 1, &left_out));
        }
        if !holds {
            self.failed.insert(tried);
        }
        holds
    }

    /// Whether the machine drops something at a position and then nothing else happens until it parks
    /// within the turn.
    fn is_about_to_park(&self, of: usize) -> bool {
        let rest = self.machine[of..].iter();
        let mut rest = rest.filter(|event| !is_drop(event) && !is_part(event));
        is_drop(&self.machine[of]) && rest.next().is_some_and(|event| event == PARKED)
    }

    /// The parts that the machine has dropped at a position and the plain code has not.
    pub(super) fn parts_left(&self, at: usize, of: usize) -> Vec<&'a String> {
        let mut left = self.parts.clone();
        left.extend(self.machine[..of].iter().filter(|event| is_part(event)));
        for event in self.plain[..at].iter().filter(|event| is_part(event)) {
            if let Some(place) = left.iter().position(|other| *other == event) {
                left.remove(place);
            }
        }
        left
    }
}

/// What is left to be left out after this event has been, if it may be.
fn without<'a>(counts: &Counts<'a>, event: &str) -> Option<Counts<'a>> {
    let mut counts = counts.clone();
    let count = counts.get_mut(event)?;
    *count -= 1;
    if *count == 0 {
        counts.remove(event);
    }
    Some(counts)
}
