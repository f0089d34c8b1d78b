//! Random programs that register compensations, sleep, shield themselves, fail and are cancelled: a model says how each
//! ends and what is undone, in which order.

use std::sync::Mutex;
use std::time::Duration;

use piton::model::RunStatus;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rig::Rig;

/// One thing that a program does. Times are milliseconds, multiples of 100.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Part {
    /// Registers a compensation with this number.
    Note(u32),
    /// Removes the last one that is registered.
    Disarm,
    /// Sleeps, and returns the error of a request to cancel.
    Nap(u64),
    /// Sleeps, and continues after a request to cancel.
    Caught(u64),
    /// Sleeps without a place for an error.
    Plain(u64),
    /// Sleeps behind a shield, then registers a compensation with this number.
    Shielded(u64, u32),
    /// Calls an activity that takes as long, and returns its error.
    Work(u64),
    /// Returns an error.
    Fail,
}

/// What was undone, with the workflow id.
static UNDONE: Mutex<Vec<(String, u32)>> = Mutex::new(Vec::new());

#[activity]
async fn undo_noted(cx: &ActivityContext, number: u32) {
    UNDONE.lock().unwrap().push((cx.info().workflow_id.to_string(), number));
}

#[activity]
async fn work_for(millis: u64) -> Result<(), String> {
    tokio::time::sleep(Duration::from_millis(millis)).await;
    Ok(())
}

#[workflow]
async fn play_parts(cx: &Context, program: Vec<Part>) -> Result<u32, String> {
    let mut handles = Vec::new();
    let mut done = 0;
    for part in program {
        match part {
            Part::Note(number) => handles.push(cx.on_failure(undo_noted(number))),
            Part::Disarm => {
                if let Some(handle) = handles.pop() {
                    handle.disarm(cx);
                }
            }
            Part::Nap(millis) => {
                let slept = cx.sleep(Duration::from_millis(millis)).or_cancelled().await;
                slept.map_err(|cancelled| cancelled.to_string())?;
            }
            Part::Caught(millis) => {
                let slept = cx.sleep(Duration::from_millis(millis)).or_cancelled().await;
                done += u32::from(slept.is_err());
            }
            Part::Plain(millis) => cx.sleep(Duration::from_millis(millis)).await,
            Part::Shielded(millis, number) => {
                cx.shield(cx.sleep(Duration::from_millis(millis))).await;
                handles.push(cx.on_failure(undo_noted(number)));
            }
            Part::Work(millis) => {
                work_for(millis).await.map_err(|error| error.to_string())?;
            }
            Part::Fail => return Err("as it was told".to_owned()),
        }
        done += 1;
    }
    Ok(done)
}

/// Numbers from a seed: SplitMix64 (Steele, Lea, Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn draw(numbers: &mut Numbers) -> Vec<Part> {
    let count = 1 + numbers.below(8);
    let draw_part = |number: u32, numbers: &mut Numbers| {
        // Some outlast the time for which runs stay in memory.
        let longest = [4, 30][numbers.below(2) as usize];
        let millis = 100 * (1 + numbers.below(longest));
        match numbers.below(16) {
            0..=4 => Part::Note(number),
            5 => Part::Disarm,
            6..=7 => Part::Nap(millis),
            8 => Part::Caught(millis),
            9 => Part::Plain(millis),
            10..=12 => Part::Shielded(millis, number),
            13..=14 => Part::Work(millis),
            _ => Part::Fail,
        }
    };
    (0..count as u32).map(|number| draw_part(number, numbers)).collect()
}

/// How a program ends that is asked to cancel at this time, and what is undone.
fn expected(program: &[Part], cancelled_at: u64) -> (RunStatus, Vec<u32>) {
    let (mut now, mut is_delivered) = (0, false);
    let mut registered: Vec<u32> = Vec::new();
    let undone = |registered: &[u32]| registered.iter().rev().copied().collect();
    for part in program {
        let (millis, is_caught) = match part {
            Part::Note(number) => {
                registered.push(*number);
                continue;
            }
            Part::Disarm => {
                registered.pop();
                continue;
            }
            Part::Shielded(millis, number) => {
                now += millis;
                registered.push(*number);
                continue;
            }
            // The error does not show whether the request has caused it, and the code has received the request.
            Part::Fail if is_delivered => {
                return (RunStatus::Cancelled, undone(&registered));
            }
            Part::Fail => return (RunStatus::Failed, undone(&registered)),
            Part::Caught(millis) => (millis, true),
            Part::Nap(millis) | Part::Plain(millis) | Part::Work(millis) => (millis, false),
        };
        if is_delivered || cancelled_at > now + millis {
            now += millis;
        } else if is_caught {
            (now, is_delivered) = (now.max(cancelled_at), true);
        } else {
            return (RunStatus::Cancelled, undone(&registered));
        }
    }
    (RunStatus::Completed, Vec::new())
}

#[tokio::test(start_paused = true)]
async fn what_is_registered_is_undone_in_reverse_order_however_a_run_ends() {
    const PROGRAMS: u64 = 300;
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let mut ends = std::collections::BTreeMap::new();
    for seed in 0..PROGRAMS {
        let mut numbers = Numbers(seed);
        let program = draw(&mut numbers);
        // Between two instants at which something ends.
        let cancelled_at = 50 + 100 * numbers.below(60);
        let (status, undone) = expected(&program, cancelled_at);
        let id = format!("program-{seed}");
        let run = rig.client.start(play_parts(program.clone())).id(&*id).await.unwrap();
        tokio::time::sleep(Duration::from_millis(cancelled_at)).await;
        let _ = run.cancel("enough").await;
        let closed = rig.until(&run, |record| !record.status.is_open()).await;
        let all = UNDONE.lock().unwrap().clone();
        let own = all.iter().filter(|(workflow_id, _)| *workflow_id == id);
        let own: Vec<u32> = own.map(|(_, number)| *number).collect();
        let said = format!("seed {seed}: {program:?}, asked to cancel at {cancelled_at}");
        assert_eq!((closed.status, own), (status, undone), "{said}");
        assert_eq!(rig.store.activities(), 0, "{said}");
        *ends.entry(status.to_string()).or_insert(0) += 1;
    }
    // Each kind of end was seen many times.
    assert!(ends.len() == 3 && ends.values().all(|count| *count > 20), "{ends:?}");
    worker.shutdown().await.unwrap();
}
