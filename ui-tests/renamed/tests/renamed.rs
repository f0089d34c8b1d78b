//! The macros find the crate by the name that `Cargo.toml` gives it, or by the path that they are given.

use engine::machine::{Progress, Standalone};
use engine::model::{Operation, Timestamp};
use engine::prelude::*;
use piton_renamed_tests::parts;
use serde::{Deserialize, Serialize};

#[activity(retry(max_attempts = 2))]
async fn add(cx: &ActivityContext, to: u64, more: u64) -> u64 {
    let _ = cx;
    to + more
}

#[derive(Debug, Signal, Serialize, Deserialize)]
struct Go {
    by: u64,
}

#[deterministic]
fn doubled(number: u64) -> u64 {
    number * 2
}

struct Sum {
    of: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct Counter {
    from: u64,
}

impl Counter {
    #[workflow]
    async fn count(self, by: u64) -> u64 {
        self.from + by
    }
}

#[workflow(strict)]
async fn run(cx: &Context, numbers: Vec<u64>) -> engine::Result<u64> {
    let sum = Sum { of: numbers };
    let mut total = 0;
    for number in sum.of {
        total = add(total, number).await;
    }
    let go = cx.signal::<Go>().await;
    if go.by == 0 {
        bail!("nothing to go by");
    }
    let (counted, kept) = engine::join!(Counter { from: total }.count(go.by), keep(go.by));
    Ok(doubled(counted + kept))
}

#[workflow]
async fn keep<T: engine::machine::Durable>(value: T, #[cfg(any())] left_out: Missing) -> T {
    value
}

register!(keep::<u64>);

mod framework {
    use crate::parts::durable::machine::Durable;
    use crate::parts::durable::prelude::*;

    #[activity(crate = "crate::parts::durable")]
    pub(crate) async fn load(number: u64) -> u64 {
        number
    }

    #[derive(Signal, serde::Serialize, serde::Deserialize)]
    #[signal(name = "stop", crate = "crate::parts::durable")]
    pub(crate) struct Stop;

    #[deterministic(crate = "crate::parts::durable")]
    pub(crate) fn next(number: u64) -> u64 {
        number + 1
    }

    #[workflow(strict, crate = "crate::parts::durable")]
    pub(crate) async fn load_next(cx: &Context, number: u64) -> u64 {
        let loaded = load(number).await;
        cx.signal::<Stop>().await;
        same(next(loaded)).await
    }

    #[workflow(crate = "crate::parts::durable")]
    pub(crate) async fn same<T: Durable>(value: T) -> T {
        value
    }

    register!(same::<u8>, crate = "crate::parts::durable");
}

/// Answers what the workflow asks for, each with the sum of its arguments.
fn answer<W: engine::machine::Workflow>(run: &mut Standalone<W>) {
    for (handle, operation) in run.waiting_for() {
        if let Operation::Activity(call) = operation {
            let sum = match engine::codec::from_payload::<(u64, u64)>(&call.arguments) {
                Ok((to, more)) => to + more,
                Err(_) => engine::codec::from_payload::<(u64,)>(&call.arguments).expect("one").0,
            };
            run.reply(handle, &sum).expect("a number can be saved");
        }
    }
}

#[test]
fn a_dependency_of_another_name_is_found() {
    let mut run = Standalone::start(run(vec![1, 2])).expect("it starts");
    run.signal(&Go { by: 4 }).expect("it can be saved");
    loop {
        match run.advance(Timestamp::now()).expect("it can go on") {
            Progress::Returned(returned) => break assert_eq!(returned.expect("a sum"), 22),
            Progress::Waiting => answer(&mut run),
        }
    }
}

#[test]
fn a_crate_that_is_re_exported_is_named() {
    let mut run = Standalone::start(framework::load_next(4)).expect("it starts");
    run.signal(&framework::Stop).expect("it can be saved");
    loop {
        match run.advance(Timestamp::now()).expect("it can go on") {
            Progress::Returned(returned) => break assert_eq!(returned, 5),
            Progress::Waiting => answer(&mut run),
        }
    }
}
