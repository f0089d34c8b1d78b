//! The common parts of all builds.

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::sync::{Arc, Mutex};

use piton::activities::{ActivityEntry, ActivityInfo};
pub use piton::evolution::Resume;
pub use piton::migrate;
use piton::model::{Handle, RunId};
pub use piton::prelude::*;
pub use serde::{Deserialize, Serialize};

pub use crate::books::MakeEntry;

/// Lets a run continue.
#[derive(Clone, Debug, PartialEq, Signal, Serialize, Deserialize)]
pub struct Go(pub u8);

/// Lets a run take another branch.
#[derive(Clone, Debug, PartialEq, Signal, Serialize, Deserialize)]
pub struct Halt(pub u8);

/// The calls that hang, and those that have begun. Cheap to clone.
#[derive(Clone, Default)]
pub struct Lab(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    /// The hanging calls by the id of the run.
    held: HashMap<String, Vec<&'static str>>,
    begun: HashSet<(String, String)>,
    /// The activities that have begun, and whether they hang.
    activities: HashMap<(RunId, Handle), bool>,
}

impl Lab {
    /// Makes these calls of a run hang until the worker ends.
    pub fn hold(&self, id: &str, calls: &[&'static str]) {
        self.0.lock().unwrap().held.insert(id.to_owned(), calls.to_vec());
    }

    /// Lets all calls that begin from now on return.
    pub fn release(&self) {
        *self.0.lock().unwrap() = Calls::default();
    }

    pub fn has_begun(&self, id: &str, call: &str) -> bool {
        self.0.lock().unwrap().begun.contains(&(id.to_owned(), call.to_owned()))
    }

    /// Whether an activity hangs; `None` if it has not begun.
    pub fn is_hanging(&self, run_id: RunId, handle: Handle) -> Option<bool> {
        self.0.lock().unwrap().activities.get(&(run_id, handle)).copied()
    }

    /// Notes the call, and returns whether it is held.
    fn begin(&self, activity: &ActivityInfo, call: String) -> bool {
        let mut calls = self.0.lock().unwrap();
        let id = &*activity.workflow_id;
        let is_held = calls.held.get(id).is_some_and(|held| held.iter().any(|it| *it == call));
        calls.activities.insert((activity.run_id, activity.handle), is_held);
        calls.begun.insert((id.to_owned(), call));
        is_held
    }
}

/// Returns unless the call is held.
pub async fn pass(cx: &ActivityContext, call: String) {
    let is_held = cx.dependency::<Lab>().begin(cx.info(), call);
    if is_held {
        pending().await
    }
}

#[activity]
pub async fn charge(cx: &ActivityContext, id: u64) -> String {
    pass(cx, format!("charge {id}")).await;
    format!("charged {id}")
}

#[activity]
pub async fn ship(cx: &ActivityContext, id: u64) -> String {
    pass(cx, format!("ship {id}")).await;
    format!("shipped {id}")
}

#[activity]
pub async fn note(cx: &ActivityContext, text: String) -> String {
    pass(cx, format!("note {text}")).await;
    format!("noted {text}")
}

#[activity]
pub async fn payer(cx: &ActivityContext, id: u64) -> String {
    pass(cx, format!("payer {id}")).await;
    format!("payer {id}")
}

#[activity]
pub async fn payee(cx: &ActivityContext, id: u64) -> String {
    pass(cx, format!("payee {id}")).await;
    format!("payee {id}")
}

/// Fails for odd numbers.
#[activity(retry(max_attempts = 1))]
pub async fn audit(cx: &ActivityContext, id: u64) -> Result<String, String> {
    pass(cx, format!("audit {id}")).await;
    if id.is_multiple_of(2) { Ok(format!("audited {id}")) } else { Err(format!("refused {id}")) }
}

pub fn send(cents: u64, Go(go): Go) -> String {
    format!("{cents} {go}")
}

pub fn grow(years: u64, Go(go): Go) -> String {
    format!("{years} years {go}")
}

pub fn twice(number: u64) -> u64 {
    number * 2
}

pub fn double(number: u64) -> u64 {
    number * 2
}

pub fn halt(Halt(number): Halt, Go(go): Go) -> String {
    format!("halted by {number} {go}")
}

/// The entry of an activity.
#[macro_export]
macro_rules! entry {
    ($activity:path) => {{
        static ENTRY: piton::activities::ActivityEntry =
            piton::activities::ActivityEntry::of::<$activity>();
        &ENTRY
    }};
}

/// The default activities of a build.
pub fn activities() -> Vec<&'static ActivityEntry> {
    vec![entry!(charge), entry!(ship), entry!(note), entry!(payer), entry!(payee), entry!(audit)]
}
