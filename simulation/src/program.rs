//! The programs that runs interpret, their results, and the check that a plain execution could have the same results.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::ties::{Care, Child, Promised, draw_child, draw_settled, draw_wait};

/// An operation of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// Awaits an activity.
    Work(Work),
    /// Sleeps for milliseconds.
    Sleep(u64),
    /// Awaits a signal.
    Signal,
    /// Awaits a signal, for milliseconds at most: by a timer beside it, or by its own limit.
    SignalWithin(u64, Limit),
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
    /// Does some things in two calls at once.
    Branches(Vec<Op>, Vec<Op>),
    /// Takes a step that some builds cannot make.
    Fragile,
    /// Sends a letter with this number to the run with that one.
    Tell(u32, u32),
    /// Awaits a letter, for milliseconds at most.
    Letter(u64),
    /// Answers a question, if one comes within milliseconds.
    Answer(u64),
    /// Awaits a promise, for milliseconds at most if there is a limit.
    Promise(Promised, Option<u64>),
    /// Completes a promise with a value.
    Settle(Promised, i64),
    /// Starts a child.
    Child(Child),
    /// Awaits the item of a queue with this number, which others await as well.
    Item(u32),
}

/// What ends a wait for a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    /// A timer in a `select!`.
    Timer,
    /// The signal's timeout.
    Timeout,
}

/// A call of an activity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// What it returns in the end.
    pub value: i64,
    /// How long it takes.
    pub millis: u64,
    /// Its fault.
    pub trouble: Trouble,
    /// How it is attempted.
    pub kind: Kind,
    /// The number of activities that the run has awaited before, one after the other. Set by the run.
    pub awaited: u32,
}

/// The queues that workers serve.
pub const QUEUES: [&str; 3] = ["far", "farther", "farthest"];

impl Work {
    /// The queue that it is on, if it is on one.
    pub fn queue(&self) -> Option<&'static str> {
        let is_queued = match self.kind {
            Kind::Queued | Kind::QueuedWithin(_) | Kind::QueuedOnce => true,
            Kind::Beating(is_queued) | Kind::Signed(is_queued) | Kind::Within(is_queued, _) => {
                is_queued
            }
            Kind::Local | Kind::Once | Kind::Written => false,
        };
        is_queued.then(|| QUEUES[self.value.unsigned_abs() as usize % QUEUES.len()])
    }
}

/// The queue with partitions, and with limits over all workers in most simulations.
pub const PARTITIONED: &str = QUEUES[2];

impl Work {
    /// The partition of its queue; empty if it names none.
    pub fn partition(&self) -> &'static str {
        match self.queue() {
            Some(PARTITIONED) => ["", "a", "b", "c"][self.value.unsigned_abs() as usize / 3 % 4],
            _ => "",
        }
    }
}

/// How an activity is attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// By the worker that owns the run.
    Local,
    /// By a worker that serves a queue.
    Queued,
    /// By a worker that serves a queue, if one begins within milliseconds.
    QueuedWithin(u64),
    /// At most once.
    Once,
    /// At most once, by a worker that serves a queue.
    QueuedOnce,
    /// In a transaction, whose notes are committed with the outcome.
    Written,
    /// With signs of life, here or on a queue.
    Beating(bool),
    /// From outside, with a token; on a queue or not.
    Signed(bool),
    /// Within milliseconds altogether; on a queue or not.
    Within(bool, u64),
}

/// The fault of an activity.
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

/// The result of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// An activity returned this.
    Value(i64),
    /// An activity failed for good.
    Failed,
    /// A signal with this number came.
    Signal(u32),
    /// A letter with this number came.
    Letter(u32),
    /// A question with this number was answered.
    Answered(u32),
    /// A timer fired.
    Slept,
    /// A promise was resolved with this.
    Promised(i64),
    /// A promise was rejected.
    Refused,
    /// A promise will not be completed.
    Broken,
    /// A child has ended, with these entries if it has completed.
    Child(Option<Vec<Entry>>),
    /// The item with this number has ended.
    Item(u32),
}

/// How many items there are.
const ITEMS: u32 = 12;

/// The largest value of an activity. Values above it identify the completion by a token.
pub const VALUES: i64 = 0xf_ffff;

/// The attempts of an activity that may fail.
pub const MAX_ATTEMPTS: u32 = 4;

/// Draws a program.
pub fn draw(rng: &mut Rng) -> Vec<Op> {
    let length = rng.usize(1..=5);
    (0..length).map(|_| draw_op(rng, 2)).collect()
}

fn draw_op(rng: &mut Rng, depth: u32) -> Op {
    match rng.u32(0..if depth > 0 { 40 } else { 31 }) {
        0..=7 => Op::Work(draw_work(rng)),
        8..=10 => Op::Sleep(draw_sleep(rng)),
        11..=12 => Op::Signal,
        13 => {
            let limit = if rng.bool() { Limit::Timer } else { Limit::Timeout };
            Op::SignalWithin(draw_sleep(rng), limit)
        }
        14..=15 => Op::All((0..rng.usize(0..=4)).map(|_| draw_work(rng)).collect()),
        16 => Op::Both(draw_work(rng), draw_sleep(rng)),
        17..=18 => Op::Race(draw_work(rng), draw_work(rng)),
        19 => Op::WorkWithin(draw_work(rng), draw_sleep(rng)),
        20 => Op::Fragile,
        21..=22 => Op::Tell(draw_number(rng), rng.u32(..)),
        23 => Op::Item(rng.u32(0..ITEMS)),
        24 => Op::Letter(draw_sleep(rng)),
        25..=26 => Op::Answer(draw_sleep(rng)),
        27..=28 => {
            let (other, millis) = (draw_number(rng), draw_sleep(rng));
            let (promised, limit) = draw_wait(rng, other, millis);
            Op::Promise(promised, limit)
        }
        29..=30 => {
            let other = draw_number(rng);
            Op::Settle(draw_settled(rng, other), rng.i64(0..=VALUES))
        }
        31 => Op::Repeat(rng.u32(0..=3), draw_block(rng, depth)),
        32 => Op::Repeat(rng.u32(5..=15), vec![Op::Work(draw_work(rng))]),
        33 => {
            // The receiver of each signal would be ambiguous.
            let branch = |rng: &mut Rng| {
                let mut block = draw_block(rng, depth);
                block.retain(|op| signals(std::slice::from_ref(op)) == 0);
                block
            };
            Op::Branches(branch(rng), branch(rng))
        }
        34..=36 => Op::Inline(draw_block(rng, depth)),
        _ => {
            let program = draw_block(rng, depth);
            Op::Child(draw_child(rng, program))
        }
    }
}

/// The number of a run: most are there wherever there is more than one run, and some never are.
fn draw_number(rng: &mut Rng) -> u32 {
    let up_to = [2, 10, 50, 250][rng.usize(0..4)];
    rng.u32(0..up_to)
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
    let kind = match rng.u32(0..28) {
        0..=11 => Kind::Local,
        12..=15 => Kind::Queued,
        16 => Kind::QueuedWithin(rng.u64(1..10_000)),
        17 => Kind::Once,
        18 => Kind::QueuedOnce,
        19..=20 => Kind::Written,
        21 => Kind::Beating(rng.bool()),
        22..=24 => Kind::Signed(rng.bool()),
        _ => Kind::Within(rng.bool(), rng.u64(1..3_000)),
    };
    // A limit for all attempts is of interest where there are several.
    let trouble = match kind {
        Kind::Within(..) if rng.bool() => Trouble::Fails(rng.u32(1..MAX_ATTEMPTS)),
        _ => trouble,
    };
    Work { value: rng.i64(0..=VALUES), millis, trouble, kind, awaited: 0 }
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
        Op::Signal | Op::SignalWithin(..) => 1,
        Op::Repeat(times, inner) => times * signals(inner),
        Op::Inline(inner) => signals(inner),
        Op::Branches(first, second) => signals(first) + signals(second),
        _ => 0,
    };
    ops.iter().map(of).sum()
}

/// How many questions a program may answer.
pub fn questions(ops: &[Op]) -> u32 {
    let of = |op: &Op| match op {
        Op::Answer(_) => 1,
        Op::Repeat(times, inner) => times * questions(inner),
        Op::Inline(inner) => questions(inner),
        Op::Branches(first, second) => questions(first) + questions(second),
        _ => 0,
    };
    ops.iter().map(of).sum()
}

/// Whether a plain execution of the program could give these entries. Signals must come in the
/// order of their numbers, and none of those `acknowledged` may be left out.
///
/// # Errors
/// What is wrong.
pub fn check(
    ops: &[Op],
    entries: &[Entry],
    acknowledged: &[u32],
    luck: Luck,
) -> Result<(), String> {
    let mut check = Check::new(entries, luck);
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

/// The events of a run that decide the possible outcomes of its activities.
#[derive(Clone, Copy, Debug, Default)]
pub struct Luck {
    /// How often its attempts were interrupted.
    pub interruptions: u32,
    /// Whether faults were injected at all.
    pub was_faulty: bool,
    /// Whether a request to cancel may have ended an activity, which the code treats as a failure.
    pub may_be_cancelled: bool,
}

struct Check<'a> {
    entries: std::slice::Iter<'a, Entry>,
    signals: Vec<u32>,
    /// The numbers of the questions.
    answered: BTreeSet<u32>,
    /// The outcomes of promises.
    promises: BTreeMap<Promised, Entry>,
    luck: Luck,
}

impl<'a> Check<'a> {
    fn new(entries: &'a [Entry], luck: Luck) -> Self {
        Self {
            entries: entries.iter(),
            signals: Vec::new(),
            answered: BTreeSet::new(),
            promises: BTreeMap::new(),
            luck,
        }
    }

    fn ops(&mut self, ops: &[Op]) -> Result<(), String> {
        ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Result<(), String> {
        match op {
            Op::Work(work) => self.outcome_of(op, &[work], false),
            Op::Sleep(_) => self.one_of(op, &[Entry::Slept]),
            Op::Signal => match self.next(op)? {
                Entry::Signal(_) => Ok(()),
                other => Err(format!("{op:?} gave {other:?}")),
            },
            Op::SignalWithin(..) => match self.next(op)? {
                Entry::Signal(_) | Entry::Slept => Ok(()),
                other => Err(format!("{op:?} gave {other:?}")),
            },
            Op::All(works) => works.iter().try_for_each(|work| self.outcome_of(op, &[work], false)),
            Op::Both(work, _) => self.outcome_of(op, &[work], false),
            Op::Race(first, second) => self.outcome_of(op, &[first, second], false),
            Op::WorkWithin(work, _) => self.outcome_of(op, &[work], true),
            Op::Repeat(times, inner) => (0..*times).try_for_each(|_| self.ops(inner)),
            Op::Inline(inner) => self.ops(inner),
            Op::Branches(first, second) => self.ops(first).and_then(|()| self.ops(second)),
            Op::Fragile => self.one_of(op, &[Entry::Slept]),
            // The oracle checks that it was sent and arrives in order.
            Op::Tell(..) => Ok(()),
            Op::Letter(_) => match self.next(op)? {
                Entry::Letter(_) | Entry::Slept => Ok(()),
                other => Err(format!("{op:?} gave {other:?}")),
            },
            Op::Answer(_) => match self.next(op)? {
                Entry::Slept => Ok(()),
                Entry::Answered(number) => {
                    let number = *number;
                    match self.answered.insert(number) {
                        true => Ok(()),
                        false => Err(format!("question {number} was answered twice")),
                    }
                }
                other => Err(format!("{op:?} gave {other:?}")),
            },
            Op::Promise(promised, limit) => self.promise(op, *promised, *limit),
            // The oracle checks its effect.
            Op::Settle(..) => Ok(()),
            Op::Child(child) => self.child(op, child),
            Op::Item(number) => {
                let may_fail = self.luck.was_faulty || self.luck.may_be_cancelled;
                match self.next(op)? {
                    Entry::Item(found) if found == number => Ok(()),
                    Entry::Failed if may_fail => Ok(()),
                    other => Err(format!("{op:?} gave {other:?}")),
                }
            }
        }
    }

    /// Checks the outcome of a promise, which is always the same.
    fn promise(&mut self, op: &Op, promised: Promised, limit: Option<u64>) -> Result<(), String> {
        let entry = self.next(op)?.clone();
        match entry {
            Entry::Slept if limit.is_some() => Ok(()),
            // A run with the same number may take the place of one that is over.
            Entry::Promised(_) | Entry::Refused | Entry::Broken
                if matches!(promised, Promised::Of(..)) =>
            {
                Ok(())
            }
            Entry::Promised(_) | Entry::Refused => {
                let known = self.promises.entry(promised).or_insert_with(|| entry.clone());
                if *known == entry {
                    Ok(())
                } else {
                    Err(format!("{promised:?} came to {known:?}, then to {entry:?}"))
                }
            }
            other => Err(format!("{op:?} gave {other:?}")),
        }
    }

    /// Checks the end of a child that the parent got.
    fn child(&mut self, op: &Op, child: &Child) -> Result<(), String> {
        let times = match child.care {
            Care::Leave => 0,
            Care::Await | Care::Cancel => 1,
            Care::AwaitTwice => 2,
        };
        // A request to cancel ends the parent's wait.
        let may_be_interrupted = self.luck.may_be_cancelled;
        let may_be_missing =
            may_be_interrupted || child.shares.is_some() || child.care == Care::Cancel;
        let mut first = None;
        for _ in 0..times {
            let Entry::Child(entries) = self.next(op)?.clone() else {
                return Err(format!("{op:?} gave something else"));
            };
            match &entries {
                None if may_be_missing => {}
                None => return Err(format!("{op:?} has not completed")),
                Some(entries) => {
                    // How often its attempts were interrupted is not known here.
                    let is_cancelled = child.care == Care::Cancel;
                    let luck = Luck {
                        interruptions: u32::MAX,
                        may_be_cancelled: is_cancelled,
                        ..self.luck
                    };
                    let mut check = Check::new(entries, luck);
                    check.ops(&child.program)?;
                    if let Some(more) = check.entries.next() {
                        return Err(format!("{more:?} is more than the child gives"));
                    }
                }
            }
            let first = first.get_or_insert_with(|| entries.clone());
            if *first != entries && !may_be_interrupted {
                return Err(format!("{op:?} gave {first:?}, then {entries:?}"));
            }
        }
        Ok(())
    }

    fn next(&mut self, op: &Op) -> Result<&Entry, String> {
        let entry = self.entries.next().ok_or_else(|| format!("{op:?} gave nothing"))?;
        if let Entry::Signal(number) = entry {
            self.signals.push(*number);
        }
        Ok(entry)
    }

    fn one_of(&mut self, op: &Op, expected: &[Entry]) -> Result<(), String> {
        let entry = self.next(op)?;
        if expected.contains(entry) { Ok(()) } else { Err(format!("{op:?} gave {entry:?}")) }
    }

    /// Checks the outcome of one of these activities, or of a timer if there is one.
    fn outcome_of(&mut self, op: &Op, works: &[&Work], has_timer: bool) -> Result<(), String> {
        let luck = self.luck;
        let fits = match self.next(op)? {
            Entry::Slept => has_timer,
            Entry::Failed => works.iter().any(|work| may_fail(work, luck)),
            Entry::Value(value) => {
                works.iter().any(|work| work.value == value & VALUES && may_succeed(work))
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(format!("{op:?} gave something else")) }
    }
}

fn may_succeed(work: &Work) -> bool {
    match work.kind {
        Kind::Once | Kind::QueuedOnce => work.trouble == Trouble::None,
        Kind::Signed(_) => true,
        _ => work.trouble != Trouble::AlwaysFails,
    }
}

/// The number of interrupted attempts after which the engine fails an activity.
const MAX_INTERRUPTIONS: u32 = 10;

fn may_fail(work: &Work, luck: Luck) -> bool {
    let is_given_up = luck.interruptions >= MAX_INTERRUPTIONS;
    is_given_up
        || luck.may_be_cancelled
        || match work.kind {
            Kind::Local => work.trouble == Trouble::AlwaysFails,
            // An interrupted attempt is not repeated, and a commit may be refused.
            Kind::Once => work.trouble != Trouble::None || luck.interruptions > 0,
            Kind::Written => work.trouble == Trouble::AlwaysFails || luck.was_faulty,
            // Any worker may decide by the database's clock whether an attempt was in time.
            Kind::Queued | Kind::Beating(_) => {
                work.trouble == Trouble::AlwaysFails || luck.was_faulty
            }
            Kind::QueuedOnce => {
                work.trouble != Trouble::None || luck.was_faulty || luck.interruptions > 0
            }
            Kind::QueuedWithin(_) | Kind::Within(..) | Kind::Signed(_) => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_counted_through_loops_and_calls() {
        let limited = Op::SignalWithin(1, Limit::Timer);
        let twice = Op::Repeat(2, vec![Op::Signal, Op::Inline(vec![limited])]);
        assert_eq!(signals(&[twice, Op::Signal]), 5);
    }

    #[test]
    fn results_are_told_apart() {
        let program = [Op::Signal, Op::Sleep(1), Op::SignalWithin(1, Limit::Timeout)];
        let check = |ops: &[Op], entries: &[Entry], signals: &[u32]| {
            check(ops, entries, signals, Luck::default())
        };
        let gave = |first, last| [Entry::Signal(first), Entry::Slept, last];
        assert_eq!(check(&program, &gave(0, Entry::Signal(1)), &[0, 1]), Ok(()));
        assert_eq!(check(&program, &gave(0, Entry::Slept), &[0, 1]), Ok(()));
        for (entries, acknowledged) in [
            (gave(1, Entry::Signal(0)).as_slice(), [].as_slice()),
            (&gave(0, Entry::Signal(0)), &[]),
            (&gave(0, Entry::Signal(2)), &[1]),
            (&gave(0, Entry::Failed), &[]),
            (&gave(0, Entry::Slept)[..2], &[]),
        ] {
            assert!(check(&program, entries, acknowledged).is_err(), "{entries:?}");
        }
        let longer = [Entry::Slept, Entry::Slept];
        assert!(check(&[Op::Sleep(1)], &longer, &[]).is_err());
    }
}
