//! A program that is killed and started again.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A program and its arguments. It prints `ready` when it has started, and exits with success at its end.
#[derive(Debug)]
pub struct Program<'a> {
    /// The program.
    pub path: &'a str,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Program<'_> {
    /// Runs it until it kills itself at `point` for the `count`th time.
    ///
    /// # Panics
    /// If it does not reach the point that often.
    pub fn is_killed_at(&self, point: &str, count: u32) {
        let ended = self.start(Some(&format!("{point}:{count}=kill"))).wait().expect("it ran");
        assert!(was_killed(ended), "{point}:{count} was never reached: {ended}");
    }

    /// Kills it this long after its start. Returns whether it was still running.
    ///
    /// # Panics
    /// If it does not begin, or fails.
    pub fn is_killed_after(&self, wait: Duration) -> bool {
        let mut child = self.start(None);
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("readable");
        assert_eq!(line, "ready\n");
        // The test is about the instant, so this waits for a time and not for an event.
        std::thread::sleep(wait);
        child.kill().expect("it was there to be killed");
        let ended = child.wait().expect("it ran");
        assert!(was_killed(ended) || ended.success(), "{ended}");
        was_killed(ended)
    }

    /// Kills it this many milliseconds after its start, once for each of `waits`, and then lets it finish.
    ///
    /// # Panics
    /// If it does not begin, or fails.
    pub fn survives(&self, waits: impl IntoIterator<Item = u64>) {
        for wait in waits {
            self.is_killed_after(Duration::from_millis(wait));
        }
        self.finish();
    }

    /// Lets it finish.
    ///
    /// # Panics
    /// If it fails.
    pub fn finish(&self) {
        let ended = self.start(None).wait().expect("it ran");
        assert!(ended.success(), "{ended}");
    }

    fn start(&self, fail_point: Option<&str>) -> Child {
        let mut command = Command::new(self.path);
        command.args(&self.arguments).stdout(Stdio::piped()).env_remove("PITON_FAILPOINT");
        if let Some(spec) = fail_point {
            command.env("PITON_FAILPOINT", spec);
        }
        command.spawn().expect("the program starts")
    }
}

fn was_killed(status: ExitStatus) -> bool {
    const SIGKILL: i32 = 9;
    status.signal() == Some(SIGKILL)
}
