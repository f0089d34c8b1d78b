//! Everything at once: a database that fails at random, before and after the transition, slow
//! answers, and workers that die, over many seeds.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::error::{RunError, StoreError};
use piton::machine::Workflow;
use piton::prelude::*;
use piton::store::memory::Hook;

use crate::activities::Approve;
use crate::queues::{squares, study};
use crate::rig::Rig;
use crate::workflows::{chain, collect, fan_out, naps, work};

/// Seeds per test run. More: `PITON_CHAOS_SEEDS=100000`. One: `PITON_CHAOS_SEED=7`.
const SEEDS: u64 = 200;

/// A number generator (SplitMix64) that a seed repeats.
#[derive(Clone)]
struct Random(Arc<Mutex<u64>>);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(seed)))
    }

    fn below(&self, limit: u64) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = *state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % limit
    }
}

struct Chaos(Random);

impl Chaos {
    async fn strike(&self, operation: &'static str) -> Result<(), StoreError> {
        match self.0.below(20) {
            0 => {
                let source = io::Error::from(io::ErrorKind::ConnectionReset).into();
                Err(StoreError::Database { operation, retryable: true, source })
            }
            1 => {
                tokio::time::sleep(Duration::from_millis(self.0.below(2_000))).await;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[async_trait::async_trait]
impl Hook for Chaos {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.strike(operation).await
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.strike(operation).await
    }
}

#[test]
fn nothing_is_lost_whatever_fails() {
    let seeds = match std::env::var("PITON_CHAOS_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => {
            let count = std::env::var("PITON_CHAOS_SEEDS").map_or(SEEDS, |n| n.parse().unwrap());
            (0..count).collect()
        }
    };
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let limit = Duration::from_secs(100_000);
            let played = runtime.block_on(async { tokio::time::timeout(limit, play(seed)).await });
            played.expect("it ends");
        }));
        if let Err(panic) = done {
            eprintln!("PITON_CHAOS_SEED={seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

async fn play(seed: u64) {
    let rig = Rig::new();
    let random = Random::new(seed);
    rig.store.set_hook(Arc::new(Chaos(random.clone())));
    rig.lab.fail("flaky", 2);
    rig.lab.fail("flaky far away", 2);

    let chains = tokio::join!(
        start(&rig, "chain-1", || chain(10)),
        start(&rig, "chain-2", || chain(3)),
        start(&rig, "fan", || fan_out(10)),
        start(&rig, "naps", || naps(5, 20_000)),
        start(&rig, "collect", || collect(20)),
        start(&rig, "flaky", || work("flaky".to_owned())),
        start(&rig, "squares", || squares(5)),
        start(&rig, "flaky far away", || study("flaky far away".to_owned())),
    );
    let (first, second, fan, napping, collecting, flaky, squared, far_away) = chains;

    let workers = tokio::spawn({
        let (lab, store, random) = (rig.lab.clone(), rig.store.clone(), random.clone());
        async move {
            loop {
                let client = Client::new(store.clone());
                let worker = Worker::new(&client).provide(lab.clone()).queue("gpu");
                let started = worker.max_runs(4).start().await;
                // The database may fail; what is linked into the test is in order or is not.
                let is_sound = !matches!(started, Err(piton::error::WorkerError::Registry(_)));
                assert!(is_sound, "{started:?}");
                if let Ok(worker) = started {
                    tokio::time::sleep(Duration::from_millis(random.below(60_000))).await;
                    match random.below(2) {
                        // Killed: its runs are found when the lease is over.
                        0 => drop(worker),
                        _ => drop(worker.shutdown().await),
                    }
                }
            }
        }
    });
    let names: Vec<_> = (0..20).map(|n| format!("n{n}")).collect();
    for name in &names {
        let send = || collecting.signal(Approve { by: name.clone() }).dedup_key(name.clone());
        while send().await.is_err() {}
    }
    assert_eq!(result(&collecting).await, *names);
    assert_eq!(result(&first).await, 45);
    assert_eq!(result(&second).await, 3);
    assert_eq!(result(&fan).await, 45);
    assert_eq!(result(&napping).await, 5);
    assert_eq!(result(&flaky).await, "flaky done");
    assert_eq!(result(&squared).await, 30);
    assert_eq!(result(&far_away).await, "flaky far away done");
    for name in ["flaky", "flaky far away"] {
        let attempts = rig.lab.begun(name);
        assert!(attempts.windows(2).all(|pair| pair[0] < pair[1]), "numbered anew: {attempts:?}");
    }
    assert_eq!(rig.store.activities(), 0, "rows are left behind");
    // Not one commit is counted twice: a step number is reached by one writer only.
    assert_eq!(rig.store.counts().run_inserts, 8);
    workers.abort();
}

async fn start<W: Workflow>(
    rig: &Rig,
    id: &str,
    call: impl Fn() -> piton::machine::WorkflowCall<W>,
) -> RunHandle<W> {
    loop {
        let started = rig.client.start(call()).id(id).on_conflict(OnConflict::UseExisting).await;
        if let Ok(run) = started {
            return run;
        }
    }
}

async fn result<W: Workflow>(run: &RunHandle<W>) -> W::Output
where
    W::Error: std::fmt::Display + std::fmt::Debug,
{
    loop {
        match run.result().await {
            Ok(output) => return output,
            Err(RunError::Store(_)) => {}
            Err(error) => panic!("{}: {error}", run.workflow_id()),
        }
    }
}
