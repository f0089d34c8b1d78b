//! Programs that runs interpret, what they give, and whether a plain execution could give the same.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// One thing that a program does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// Awaits an activity.
    Work(Work),
    /// Sleeps for milliseconds.
    Sleep(u64),
    /// Awaits a signal.
    Signal,
    /// Awaits a signal, for milliseconds at most.
    SignalWithin(u64),
    /// Awaits several activities at once.
    All(Vec<Work>),
    /// Awaits an activity and sleeps meanwhile.
    Both(Work, u64),
    /// Awaits the first of two activities.
    Race(Work, Work),
    /// Awaits an activity, for milliseconds at most.
    WorkWithin(Work, u64),
    /// Does some things several times.
    Repeat(u32, Vec<Op>),
    /// Does some things in an inline call.
    Inline(Vec<Op>),
}

/// A call of an activity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// What it returns in the end.
    pub value: i64,
    /// How long it takes.
    pub millis: u64,
    /// What is wrong with it.
    pub trouble: Trouble,
}

/// What is wrong with an activity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Trouble {
    /// Nothing.
    None,
    /// The first attempts fail.
    Fails(u32),
    /// The first attempts never end.
    Hangs(u32),
    /// All attempts fail.
    AlwaysFails,
}

/// What came of one thing that a program did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// An activity returned this.
    Value(i64),
    /// An activity failed for good.
    Failed,
    /// A signal with this number came.
    Signal(u32),
    /// A timer fired.
    Slept,
}

/// The attempts of an activity that may fail.
pub const MAX_ATTEMPTS: u32 = 4;

/// Draws a program.
pub fn draw(rng: &mut Rng) -> Vec<Op> {
    let length = rng.usize(1..=5);
    (0..length).map(|_| draw_op(rng, 2)).collect()
}

fn draw_op(rng: &mut Rng, depth: u32) -> Op {
    match rng.u32(0..if depth > 0 { 24 } else { 20 }) {
        0..=7 => Op::Work(draw_work(rng)),
        8..=10 => Op::Sleep(draw_sleep(rng)),
        11..=12 => Op::Signal,
        13 => Op::SignalWithin(draw_sleep(rng)),
        14..=15 => Op::All((0..rng.usize(0..=4)).map(|_| draw_work(rng)).collect()),
        16 => Op::Both(draw_work(rng), draw_sleep(rng)),
        17..=18 => Op::Race(draw_work(rng), draw_work(rng)),
        19 => Op::WorkWithin(draw_work(rng), draw_sleep(rng)),
        20..=21 => Op::Repeat(rng.u32(0..=3), draw_block(rng, depth)),
        _ => Op::Inline(draw_block(rng, depth)),
    }
}

fn draw_block(rng: &mut Rng, depth: u32) -> Vec<Op> {
    (0..rng.usize(0..=3)).map(|_| draw_op(rng, depth - 1)).collect()
}

fn draw_work(rng: &mut Rng) -> Work {
    let trouble = match rng.u32(0..20) {
        0..=1 => Trouble::Fails(rng.u32(1..MAX_ATTEMPTS)),
        2 => Trouble::Hangs(rng.u32(1..MAX_ATTEMPTS)),
        3 => Trouble::AlwaysFails,
        _ => Trouble::None,
    };
    let millis = if rng.bool() { 0 } else { rng.u64(1..1_000) };
    Work { value: rng.i64(0..1_000_000), millis, trouble }
}

/// Most are short, some outlast the time for which runs stay in memory.
fn draw_sleep(rng: &mut Rng) -> u64 {
    match rng.u32(0..4) {
        0 => 0,
        1 => rng.u64(1..100),
        2 => rng.u64(100..3_000),
        _ => rng.u64(3_000..20_000),
    }
}

/// How many signals a program may ask for.
pub fn signals(ops: &[Op]) -> u32 {
    let of = |op: &Op| match op {
        Op::Signal | Op::SignalWithin(_) => 1,
        Op::Repeat(times, inner) => times * signals(inner),
        Op::Inline(inner) => signals(inner),
        _ => 0,
    };
    ops.iter().map(of).sum()
}

/// Whether a plain execution of the program could give these entries. Signals must come in the
/// order of their numbers, and none of those `acknowledged` may be left out. Activities of a run
/// that was interrupted again and again `may_give_up`.
///
/// # Errors
/// What is wrong.
pub fn check(
    ops: &[Op],
    entries: &[Entry],
    acknowledged: &[u32],
    may_give_up: bool,
) -> Result<(), String> {
    let mut check = Check { entries: entries.iter(), signals: Vec::new(), may_give_up };
    check.ops(ops)?;
    if let Some(more) = check.entries.next() {
        return Err(format!("{more:?} is more than the program gives"));
    }
    let taken = check.signals;
    if !taken.is_sorted_by(|a, b| a < b) {
        return Err(format!("signals came in the order {taken:?}"));
    }
    let up_to = taken.last().copied();
    let lost = acknowledged.iter().find(|number| Some(**number) < up_to && !taken.contains(number));
    lost.map_or(Ok(()), |lost| Err(format!("signal {lost} was acknowledged and lost: {taken:?}")))
}

struct Check<'a> {
    entries: std::slice::Iter<'a, Entry>,
    signals: Vec<u32>,
    may_give_up: bool,
}

impl Check<'_> {
    fn ops(&mut self, ops: &[Op]) -> Result<(), String> {
        ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Result<(), String> {
        match op {
            Op::Work(work) => self.one_of(op, &[outcome(work)]),
            Op::Sleep(_) => self.one_of(op, &[Entry::Slept]),
            Op::Signal => match self.next(op)? {
                Entry::Signal(_) => Ok(()),
                other => Err(format!("{op:?} gave {other:?}")),
            },
            Op::SignalWithin(_) => match self.next(op)? {
                Entry::Signal(_) | Entry::Slept => Ok(()),
                other => Err(format!("{op:?} gave {other:?}")),
            },
            Op::All(works) => works.iter().try_for_each(|work| self.one_of(op, &[outcome(work)])),
            Op::Both(work, _) => self.one_of(op, &[outcome(work)]),
            Op::Race(first, second) => self.one_of(op, &[outcome(first), outcome(second)]),
            Op::WorkWithin(work, _) => self.one_of(op, &[outcome(work), Entry::Slept]),
            Op::Repeat(times, inner) => (0..*times).try_for_each(|_| self.ops(inner)),
            Op::Inline(inner) => self.ops(inner),
        }
    }

    fn next(&mut self, op: &Op) -> Result<&Entry, String> {
        let entry = self.entries.next().ok_or_else(|| format!("{op:?} gave nothing"))?;
        if let Entry::Signal(number) = entry {
            self.signals.push(*number);
        }
        Ok(entry)
    }

    fn one_of(&mut self, op: &Op, expected: &[Entry]) -> Result<(), String> {
        let may_give_up = self.may_give_up;
        let entry = self.next(op)?;
        let fits = expected.contains(entry) || (may_give_up && *entry == Entry::Failed);
        if fits { Ok(()) } else { Err(format!("{op:?} gave {entry:?}")) }
    }
}

fn outcome(work: &Work) -> Entry {
    if work.trouble == Trouble::AlwaysFails { Entry::Failed } else { Entry::Value(work.value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_counted_through_loops_and_calls() {
        let twice = Op::Repeat(2, vec![Op::Signal, Op::Inline(vec![Op::SignalWithin(1)])]);
        assert_eq!(signals(&[twice, Op::Signal]), 5);
    }

    #[test]
    fn results_are_told_apart() {
        let program = [Op::Signal, Op::Sleep(1), Op::SignalWithin(1)];
        let gave = |first, last| [Entry::Signal(first), Entry::Slept, last];
        assert_eq!(check(&program, &gave(0, Entry::Signal(1)), &[0, 1], false), Ok(()));
        assert_eq!(check(&program, &gave(0, Entry::Slept), &[0, 1], false), Ok(()));
        for (entries, acknowledged) in [
            (gave(1, Entry::Signal(0)).as_slice(), [].as_slice()),
            (&gave(0, Entry::Signal(0)), &[]),
            (&gave(0, Entry::Signal(2)), &[1]),
            (&gave(0, Entry::Failed), &[]),
            (&gave(0, Entry::Slept)[..2], &[]),
        ] {
            assert!(check(&program, entries, acknowledged, false).is_err(), "{entries:?}");
        }
        let longer = [Entry::Slept, Entry::Slept];
        assert!(check(&[Op::Sleep(1)], &longer, &[], false).is_err());
    }
}
