//! Groups the engine's tasks by the process that spawned them.
//!
//! Without the feature `simulation`, this is the operating system's process and costs nothing. With it, several
//! simulated processes run on one thread: everything polled within `Process::scope`, and every task that the engine
//! spawns there, can be paused, resumed and killed together, at any await, as by SIGSTOP, SIGCONT and SIGKILL.

use tokio::task::JoinHandle;

#[cfg(feature = "simulation")]
pub use simulated::{Process, Scoped};

/// Spawns a task of this process.
pub(crate) fn spawn<F>(task: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    tokio::spawn(bind(task))
}

/// Makes a task, yet to be spawned, one of this process.
#[cfg(not(feature = "simulation"))]
#[inline(always)]
pub(crate) fn bind<F: Future>(task: F) -> F {
    task
}

#[cfg(feature = "simulation")]
pub(crate) use simulated::bind;

#[cfg(feature = "simulation")]
mod simulated {
    use std::cell::RefCell;
    use std::pin::Pin;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::task::{Context, Poll, Waker};

    use crate::model::DefinitionHash;

    thread_local! {
        /// The process whose task is being polled.
        static CURRENT: RefCell<Option<Process>> = const { RefCell::new(None) };
    }

    /// A simulated process. Cheap to clone; the clones are the same process.
    #[derive(Clone, Debug, Default)]
    pub struct Process(Arc<Mutex<Life>>);

    impl PartialEq for Process {
        fn eq(&self, other: &Self) -> bool {
            Arc::ptr_eq(&self.0, &other.0)
        }
    }

    #[derive(Debug, Default)]
    struct Life {
        phase: Phase,
        /// Which definitions its program has changed, by a bit of their hash.
        build: Option<u32>,
        /// The tasks that were to be polled while the process was paused.
        held: Vec<Waker>,
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    enum Phase {
        #[default]
        Running,
        Paused,
        Killed,
    }

    impl Process {
        /// A process that runs.
        pub fn new() -> Self {
            Self::default()
        }

        /// A process that runs another build of the program: the definitions whose hash has this bit,
        /// 63 at most, are others there, so that states of theirs cannot be read elsewhere, and the
        /// other way round.
        pub fn of_build(bit: u32) -> Self {
            let process = Self::new();
            process.lock().build = Some(bit);
            process
        }

        /// The hash that a definition has in this build, of which `hash` is that in the first build.
        pub fn hash_here(&self, hash: DefinitionHash) -> DefinitionHash {
            match self.lock().build {
                // Another bit each, which the first build does not have in that place.
                Some(bit) if hash.0 >> bit & 1 == 1 => DefinitionHash(hash.0 ^ (1 << bit)),
                _ => hash,
            }
        }

        /// The hash that a definition has in the process whose task is being polled.
        pub(crate) fn hash_in_build(hash: DefinitionHash) -> DefinitionHash {
            Self::current().map_or(hash, |process| process.hash_here(hash))
        }

        /// The process whose task is being polled.
        pub fn current() -> Option<Self> {
            CURRENT.with_borrow(Clone::clone)
        }

        /// Has `future` polled as a part of this process: while the process is paused it is not
        /// polled, and once the process is killed it is dropped and never returns.
        pub fn scope<F: Future>(&self, future: F) -> Scoped<F> {
            Scoped { process: Some(self.clone()), future: Some(Box::pin(future)) }
        }

        /// Stops polling the tasks of the process.
        pub fn pause(&self) {
            let mut life = self.lock();
            if life.phase == Phase::Running {
                life.phase = Phase::Paused;
            }
        }

        /// Goes on where [`Process::pause`] stopped. Timers that fell due in between are late.
        pub fn resume(&self) {
            let mut life = self.lock();
            if life.phase == Phase::Paused {
                life.phase = Phase::Running;
                life.held.drain(..).for_each(Waker::wake);
            }
        }

        /// Ends the process: none of its tasks is polled again.
        pub fn kill(&self) {
            let mut life = self.lock();
            life.phase = Phase::Killed;
            // So that they are dropped.
            life.held.drain(..).for_each(Waker::wake);
        }

        /// Whether its tasks are polled: it neither stands still nor has ended.
        pub fn is_running(&self) -> bool {
            self.lock().phase == Phase::Running
        }

        /// Whether the process has been killed.
        pub fn is_killed(&self) -> bool {
            self.lock().phase == Phase::Killed
        }

        fn lock(&self) -> MutexGuard<'_, Life> {
            // Whole after every operation, so a panic elsewhere does not spoil it.
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// A future that is polled as a part of a process.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Scoped<F> {
        process: Option<Process>,
        future: Option<Pin<Box<F>>>,
    }

    /// Makes a task one of the process that is being polled.
    pub(crate) fn bind<F: Future>(task: F) -> Scoped<F> {
        let process = Process::current();
        Scoped { process, future: Some(Box::pin(task)) }
    }

    impl<F: Future> Future for Scoped<F> {
        type Output = F::Output;

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
            let this = &mut *self;
            if let Some(process) = &this.process {
                let mut life = process.lock();
                match life.phase {
                    Phase::Running => {}
                    Phase::Paused => {
                        life.held.push(cx.waker().clone());
                        return Poll::Pending;
                    }
                    Phase::Killed => {
                        drop(life);
                        this.future = None;
                    }
                }
            }
            let Some(future) = &mut this.future else { return Poll::Pending };
            let outer = Enter(CURRENT.replace(this.process.clone()));
            let polled = future.as_mut().poll(cx);
            drop(outer);
            polled
        }
    }

    /// Goes back to the process that was being polled before.
    struct Enter(Option<Process>);

    impl Drop for Enter {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }

    #[cfg(test)]
    mod tests {
        use std::sync::atomic::{AtomicU32, Ordering};
        use std::time::Duration;

        use super::*;

        /// A process with a task in a task that counts milliseconds.
        fn counting(process: &Process) -> Arc<AtomicU32> {
            let count = Arc::new(AtomicU32::new(0));
            let counted = Arc::clone(&count);
            let tick = async move {
                loop {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            };
            tokio::spawn(process.scope(async { drop(super::super::spawn(tick)) }));
            count
        }

        async fn count_after(count: &AtomicU32, millis: u64) -> u32 {
            let before = count.load(Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(millis)).await;
            count.load(Ordering::Relaxed) - before
        }

        #[tokio::test(start_paused = true)]
        async fn tasks_of_tasks_are_paused_resumed_and_killed_with_their_process() {
            let (process, other) = (Process::new(), Process::new());
            let (count, other_count) = (counting(&process), counting(&other));
            assert!(count_after(&count, 100).await > 90);
            process.pause();
            assert_eq!(count_after(&count, 100).await, 0);
            process.resume();
            assert!(count_after(&count, 100).await > 90);
            process.kill();
            assert!(process.is_killed());
            assert_eq!(count_after(&count, 100).await, 0);
            // What it held has been dropped.
            assert_eq!(Arc::strong_count(&count), 1);
            process.resume();
            assert_eq!(count_after(&count, 100).await, 0);
            assert!(count_after(&other_count, 100).await > 90);
        }
    }
}
