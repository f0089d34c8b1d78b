//! Named points in the engine at which a test can kill or stop the process.
//!
//! Without the feature `failpoints` the points cost nothing. With it, the environment variable
//! `PITON_FAILPOINT` or the function `set` says what happens where: `after_commit:17=kill` kills
//! the process with SIGKILL when the point `after_commit` is reached for the 17th time, `stop` lets it
//! stand still there until it gets SIGCONT, `panic` panics. Several are separated by semicolons; without
//! a number the first time is meant.
//!
//! The points: `before_commit`, `after_commit`, `before_activity`, `after_activity`,
//! `after_activity_commit`, `before_deliver`, `after_deliver`, `after_start`, `after_claim`,
//! `after_claim_activities`, `before_finish`, `after_finish`, `before_relay`, `after_relay`,
//! `after_claim_schedules`, `after_start_scheduled`, `before_save_schedules`. A claim that has found nothing does not count.

#[cfg(feature = "failpoints")]
pub use enabled::{ParseError, set};

/// Says that the point has been reached.
#[cfg(not(feature = "failpoints"))]
#[inline(always)]
pub(crate) fn hit(_point: &'static str) {}

#[cfg(feature = "failpoints")]
pub(crate) use enabled::hit;

#[cfg(feature = "failpoints")]
mod enabled {
    use std::collections::HashMap;
    use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    use rustix::process::{Signal, getpid, kill_process};

    /// How long a thread may run after SIGSTOP until it stops. A process that has been stopped for longer continues at
    /// once.
    const STOPPING: Duration = Duration::from_secs(1);

    static POINTS: LazyLock<Mutex<HashMap<String, Point>>> = LazyLock::new(|| {
        let points = match std::env::var("PITON_FAILPOINT") {
            // A crash test with a misspelled point must not pass for one without a crash.
            Ok(spec) => parse(&spec).unwrap_or_else(|error| panic!("PITON_FAILPOINT: {error}")),
            Err(_) => HashMap::new(),
        };
        Mutex::new(points)
    });

    struct Point {
        /// How often it is still passed before the action, this time included.
        countdown: u64,
        action: Action,
    }

    #[derive(Clone, Copy)]
    enum Action {
        Kill,
        Stop,
        Panic,
    }

    /// What is wrong with the description of a fail point.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    #[error("`{0}` is not of the form `point:count=kill`, with `kill`, `stop` or `panic`")]
    pub struct ParseError(String);

    /// Replaces all fail points by those described in `spec`.
    ///
    /// # Errors
    /// The description is not understood; nothing is changed.
    pub fn set(spec: &str) -> Result<(), ParseError> {
        *lock() = parse(spec)?;
        Ok(())
    }

    pub(crate) fn hit(point: &'static str) {
        let mut points = lock();
        let Some(found) = points.get_mut(point) else { return };
        found.countdown -= 1;
        if found.countdown > 0 {
            return;
        }
        let action = found.action;
        points.remove(point);
        match action {
            // The lock is still held: nothing else gets past a point before the process is gone.
            Action::Kill => {
                let sent = kill_process(getpid(), Signal::KILL);
                panic!("the process could not kill itself: {sent:?}");
            }
            // Whichever thread takes the signal stops the others; this one is not to get away.
            Action::Stop => {
                kill_process(getpid(), Signal::STOP).expect("it is our own");
                std::thread::sleep(STOPPING);
            }
            Action::Panic => {
                drop(points);
                panic!("fail point `{point}`");
            }
        }
    }

    fn lock() -> MutexGuard<'static, HashMap<String, Point>> {
        POINTS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn parse(spec: &str) -> Result<HashMap<String, Point>, ParseError> {
        let points = spec.split(';').map(str::trim).filter(|point| !point.is_empty());
        points
            .map(|text| {
                let wrong = || ParseError(text.to_owned());
                let (place, action) = text.split_once('=').ok_or_else(wrong)?;
                let (name, count) = place.split_once(':').unwrap_or((place, "1"));
                let countdown = count.parse().ok().filter(|count| *count > 0).ok_or_else(wrong)?;
                let action = match action {
                    "kill" => Action::Kill,
                    "stop" => Action::Stop,
                    "panic" => Action::Panic,
                    _ => return Err(wrong()),
                };
                Ok((name.to_owned(), Point { countdown, action }))
            })
            .collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_action_comes_at_the_count() {
            set("unit_point:2=panic").expect("well formed");
            hit("unit_point");
            let second = std::panic::catch_unwind(|| hit("unit_point"));
            assert!(second.is_err());
            hit("unit_point");
            assert!(set("unit_point=explode").is_err());
            assert!(set("unit_point:0=kill").is_err());
        }
    }
}
