//! The waits of a step, collected while it runs.

use smallvec::SmallVec;

use super::Context;
use crate::machine::DurableFuture;
use crate::model::{Handle, Operation, Outcomes, Wait};

/// A condition under construction.
#[derive(Debug)]
pub(super) struct WaitGroup {
    all: bool,
    /// Most steps wait for one thing.
    waits: SmallVec<[Wait; 1]>,
    /// One of these is enough, even if all of `waits` are needed.
    eager: Vec<Wait>,
}

impl Context {
    /// Adds an outstanding operation to the waits of the step.
    pub(crate) fn wait_for(&self, handle: Handle) {
        self.add_wait(Wait::One(handle));
    }

    fn add_wait(&self, wait: Wait) {
        if let Some(group) = self.fields().waits.borrow_mut().last_mut() {
            group.waits.push(wait);
        }
    }

    /// Runs `within`; everything that it waits for must arrive before the next step. If it waits for nothing,
    /// nothing is added.
    pub(crate) fn wait_for_all<T>(&self, within: impl FnOnce() -> T) -> T {
        self.open_waits(true);
        let value = within();
        self.close_waits(true);
        value
    }

    /// Runs `within`; anything that it waits for causes the next step. If it waits for nothing, nothing is added.
    pub(crate) fn wait_for_any<T>(&self, within: impl FnOnce() -> T) -> T {
        self.open_waits(false);
        let value = within();
        self.close_waits(true);
        value
    }

    /// Runs `within`, and ignores its waits.
    pub(crate) fn without_waits<T>(&self, within: impl FnOnce() -> T) -> T {
        self.open_waits(false);
        let value = within();
        self.close_waits(false);
        value
    }

    /// Like [`Context::wait_for_all`], but the first failed activity is enough. If the group contains other
    /// operations than activities, any arrival is enough, because only polling shows whether it is a failure.
    pub(crate) fn wait_for_all_or_failure<T>(&self, within: impl FnOnce() -> T) -> T {
        self.open_waits(false);
        let value = within();
        let group = self.fields().waits.borrow_mut().pop();
        let Some(group) = group.filter(|group| !group.is_empty()) else { return value };
        self.add_wait(match self.activities_of(&group) {
            Some(of) => {
                let ended = u32::try_from(of.len()).unwrap_or(u32::MAX);
                Wait::Outcomes(Box::new(Outcomes { of, ended, failed: 1, at_once: u32::MAX }))
            }
            None => group.into_wait(),
        });
        value
    }

    /// Adds a condition over outcomes to the waits of the step.
    pub(crate) fn wait_for_outcomes(&self, outcomes: Outcomes) {
        self.add_wait(Wait::Outcomes(Box::new(outcomes)));
    }

    /// The activities of a group, in the order of their requests, if it waits for nothing else.
    fn activities_of(&self, group: &WaitGroup) -> Option<Vec<Handle>> {
        let handles = group.waits.iter().map(|wait| match wait {
            Wait::One(handle) => Some(*handle),
            _ => None,
        });
        let mut handles: Vec<_> = handles.collect::<Option<_>>()?;
        handles.sort_unstable();
        let are_activities = self.with_operations(|operations| {
            handles.iter().all(|handle| {
                let found = operations.binary_search_by_key(handle, |(handle, _)| *handle);
                found.is_ok_and(|index| matches!(operations[index].1, Operation::Activity(_)))
            })
        });
        (group.eager.is_empty() && are_activities).then_some(handles)
    }

    /// Starts a group of waits: all of them must arrive before the next step, or one.
    pub(crate) fn open_waits(&self, all: bool) {
        self.fields().waits.borrow_mut().push(WaitGroup {
            all,
            waits: SmallVec::new(),
            eager: Vec::new(),
        });
    }

    /// Ends the group of [`Context::open_waits`]; `keep` says whether the step waits for it.
    pub(crate) fn close_waits(&self, keep: bool) {
        let group = self.fields().waits.borrow_mut().pop();
        if let Some(group) = group
            && keep
            && !group.is_empty()
        {
            self.add_wait(group.into_wait());
        }
    }

    /// Runs `within`, which starts or polls one of several operations awaited together. An operation with several
    /// waits is polled whenever it can continue.
    pub(crate) fn wait_among<F: DurableFuture, T>(&self, within: impl FnOnce() -> T) -> T {
        if F::ENDS_AT_ONCE {
            return within();
        }
        self.open_waits(false);
        let value = within();
        self.close_eager();
        value
    }

    /// Like [`Context::close_waits`], for an operation that is polled on its own, whatever it is awaited together
    /// with.
    pub(crate) fn close_eager(&self) {
        let mut groups = self.fields().waits.borrow_mut();
        let group = groups.pop();
        if let Some(group) = group
            && !group.is_empty()
            && let Some(outer) = groups.last_mut()
        {
            outer.eager.push(group.into_wait());
        }
    }

    /// Runs `within`, and ignores its waits if it ends early.
    pub(crate) fn wait_unless_ended<T, E>(
        &self,
        within: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let fields = self.fields();
        self.open_waits(false);
        let depth = fields.waits.borrow().len();
        let goes_on = fields.goes_on.get();
        let ended = within();
        if ended.is_err() {
            fields.waits.borrow_mut().truncate(depth);
            fields.goes_on.set(goes_on);
        }
        self.close_waits(ended.is_ok());
        ended
    }

    /// Notes that an awaited operation is complete, so that the code continues within the step.
    pub(crate) fn go_on(&self) {
        self.fields().goes_on.set(true);
    }

    /// Runs code up to its next suspension point. Returns whether it can continue at once; then its waits are
    /// ignored.
    pub(crate) fn run_on<T>(&self, run: impl FnOnce() -> T) -> (T, bool) {
        let fields = self.fields();
        let outer = fields.goes_on.replace(false);
        self.open_waits(false);
        let value = run();
        let goes_on = fields.goes_on.replace(outer);
        self.close_waits(!goes_on);
        (value, goes_on)
    }

    pub(crate) fn finish_waits(&self) -> Wait {
        match self.fields().waits.borrow_mut().pop() {
            Some(group) => group.into_wait(),
            None => Wait::Any(Vec::new()),
        }
    }
}

impl WaitGroup {
    fn is_empty(&self) -> bool {
        self.waits.is_empty() && self.eager.is_empty()
    }

    fn into_wait(mut self) -> Wait {
        if !self.eager.is_empty() {
            let mut waits = SmallVec::from_vec(std::mem::take(&mut self.eager));
            if !self.waits.is_empty() {
                waits.push(self.into_wait());
            }
            return Self { all: false, waits, eager: Vec::new() }.into_wait();
        }
        match (self.all, self.waits.len()) {
            (_, 1) => self.waits.swap_remove(0),
            (true, _) => Wait::All(self.waits.into_vec()),
            (false, _) => Wait::Any(self.waits.into_vec()),
        }
    }
}
