//! Runs cases at the same time, since they mostly wait for other processes.

use std::sync::Mutex;
use std::thread;

/// More than the cores of a small machine, because a killed program mostly waits for the disk or a timer.
const THREADS: usize = 6;

/// Runs `test` on every case, several at a time, on separate threads.
///
/// # Panics
/// If a test does, when all others have ended.
pub fn at_once<T: Send>(cases: impl IntoIterator<Item = T>, test: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases.into_iter().collect::<Vec<T>>().into_iter());
    // Nobody panics with it locked.
    let next = || cases.lock().expect("it is not poisoned").next();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(case) = next() {
                    test(case);
                }
            });
        }
    });
}

/// Like [`at_once`], each case on its own runtime.
///
/// # Panics
/// As [`at_once`].
pub fn at_once_async<T: Send>(cases: impl IntoIterator<Item = T>, test: impl AsyncFn(T) + Sync) {
    at_once(cases, |case| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("there are threads and files left").block_on(test(case));
    });
}
