//! All kinds of faults of a fleet, mixed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use piton::client::OnConflict;
use piton::prelude::*;
use piton_crash_tests::environment::number;
use piton_crash_tests::errand::{CALLS, Finish, STEPS, errand, expected};
use piton_crash_tests::ledger;
use piton_crash_tests::random::Random;
use piton_crash_tests::workload::Proceed;

use crate::member::Member;
use crate::scene::{PATIENCE, Scene};

/// Short enough for a stopped worker to lose its runs now and then.
const LEASE: Duration = Duration::from_secs(3);

/// Workers that serve workflows, and those that serve the other queue and nothing else.
const SERVERS: usize = 3;
const CARRIERS: usize = 2;

/// The default numbers of runs and disturbances.
const RUNS: u64 = 60;
const DISTURBANCES: u64 = 10;

/// One run in this many gets a request to cancel.
const CANCELLED: u64 = 4;

/// How often a client repeats a call that the database has not answered.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The end of a run as a client sees it: the run, and whether it was cancelled.
type Ended = (u64, String, bool);

/// The workers, of which at most one is stopped.
struct Fleet {
    members: Vec<Member>,
    still: Option<usize>,
    started: usize,
}

impl Fleet {
    async fn start(scene: &mut Scene) -> Self {
        let mut fleet = Self { members: Vec::new(), still: None, started: 0 };
        for place in 0..SERVERS + CARRIERS {
            let member = fleet.new_member(scene, place).await;
            fleet.members.push(member);
        }
        fleet
    }

    async fn new_member(&mut self, scene: &mut Scene, place: usize) -> Member {
        self.started += 1;
        let name = format!("soaked_{}", self.started);
        let url = scene.url.clone();
        let environment: &[_] = if place < SERVERS { &[] } else { &[("PITON_QUEUE", "far")] };
        scene.worker_at(&name, &url, LEASE, environment).await
    }

    /// Kills a worker, stopped or not, and starts another.
    async fn replace(&mut self, scene: &mut Scene, place: usize) {
        self.still = self.still.filter(|still| *still != place);
        self.members.remove(place).kill().await;
        let member = self.new_member(scene, place).await;
        self.members.insert(place, member);
    }

    /// Resumes the stopped worker, or stops one.
    fn pause_or_resume(&mut self, place: usize) {
        match self.still.take() {
            Some(still) => self.members[still].resume(),
            None => {
                self.members[place].pause();
                self.still = Some(place);
            }
        }
    }
}

/// Every run has the expected result, every step is committed once by the owner, every attempt is accounted for, and
/// nothing is left. `PITON_SOAK_RUNS` and `PITON_SOAK_DISTURBANCES` set the size.
pub(crate) async fn kills_pauses_cuts_and_restarts_at_once_lose_nothing(_: Scene) {
    let run_count = number("PITON_SOAK_RUNS", RUNS);
    let disturbances = number("PITON_SOAK_DISTURBANCES", DISTURBANCES);
    let mut scene = Scene::on_a_server_of_its_own().await;
    let mut random = Random::from_environment();
    let mut fleet = Fleet::start(&mut scene).await;
    let mut results = tokio::task::JoinSet::new();
    for number in 0..run_count {
        results.spawn(carry_out(scene.client.clone(), number));
    }
    let whole = (run_count - run_count.div_ceil(CANCELLED)) * STEPS;
    let mut happened = [0; 4];
    // The processes whose connections were cut, each as often as that happened.
    let mut cut_off = Vec::new();
    for disturbance in 0..disturbances {
        let goal = (whole * disturbance + random.below(whole)) / disturbances;
        scene.audit.until_steps(goal.cast_signed()).await;
        let place = random.below((SERVERS + CARRIERS) as u64) as usize;
        let what = random.below(4) as usize;
        happened[what] += 1;
        if what > 1 {
            cut_off.extend(fleet.members.iter().map(Member::id));
        }
        match what {
            0 => fleet.replace(&mut scene, place).await,
            1 => fleet.pause_or_resume(place),
            2 => {
                // Cuts about half of the connections, a different half each time.
                let cut = format!(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                     WHERE application_name = 'piton' AND datname = current_database() \
                     AND (pid + {}) % 5 < 3",
                    random.below(5)
                );
                scene.audit.count(&cut).await;
            }
            _ => {
                scene.stop_server();
                scene.start_server().await;
            }
        }
    }
    if let Some(still) = fleet.still.take() {
        fleet.members[still].resume();
    }
    let mut ended = Vec::new();
    while let Some(result) = results.join_next().await {
        ended.push(result.expect("no panic"));
    }
    check_books(&mut scene, &ended, cut_off).await;
    let cancelled = ended.iter().filter(|(.., is_cancelled)| *is_cancelled).count();
    let [kills, pauses, cuts, restarts] = happened;
    println!(
        "{run_count} runs, {cancelled} of them cancelled; {kills} kills, {pauses} pauses or ends of \
         one, {cuts} cuts, {restarts} restarts"
    );
    for member in fleet.members {
        member.leave_with_or_without_lease().await;
    }
}

/// Repeats a call until the database answers; every call is idempotent. A closed run accepts no message.
macro_rules! insist {
    ($message:expr) => {
        insist!($message, sent @ (Ok(_) | Err(SignalError::Closed { .. })) => drop(sent))
    };
    ($ask:expr, $answered:pat => $answer:expr) => {{
        let started = Instant::now();
        loop {
            match $ask.await {
                $answered => break $answer,
                Err(error) => assert!(started.elapsed() < PATIENCE, "{error}"),
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }};
}

/// Starts a run, sends it the awaited signals, and waits for its end.
async fn carry_out(client: Client, number: u64) -> Ended {
    let id = format!("errand-{number}");
    let start =
        || client.start(errand(number)).id(id.as_str()).on_conflict(OnConflict::UseExisting);
    let run = insist!(start(), Ok(run) => run);
    let proceed = || run.signal(Proceed { by: "the test".into() }).dedup_key("proceed");
    let finish = || run.signal(Finish).dedup_key("finish");
    let cancel = || run.cancel("enough").dedup_key("cancel");
    // Some requests come at the beginning of the run, some near its end.
    let is_early = number.is_multiple_of(2 * CANCELLED);
    if is_early {
        insist!(cancel());
    }
    insist!(proceed());
    insist!(finish());
    if number.is_multiple_of(CANCELLED) && !is_early {
        insist!(cancel());
    }
    let is_cancelled = loop {
        match run.result().await {
            Ok(result) => {
                assert_eq!(result, expected(number), "{number}");
                break false;
            }
            Err(RunError::Cancelled { .. }) if number.is_multiple_of(CANCELLED) => break true,
            Err(RunError::Store(_)) => tokio::time::sleep(RETRY_INTERVAL).await,
            Err(error) => panic!("run {number}: {error}"),
        }
    };
    (number, run.run_id().to_string(), is_cancelled)
}

async fn check_books(scene: &mut Scene, ended: &[Ended], cut_off: Vec<u32>) {
    scene.audit.check_steps().await;
    for (what, rows) in [
        ("runs that have not ended", "piton_runs WHERE closed_at IS NULL"),
        ("runs that somebody owns", "piton_runs WHERE worker_id IS NOT NULL"),
        // A cancelled run keeps the signals that it has not taken.
        (
            "arrivals",
            "piton_inbox WHERE run_id NOT IN (SELECT run_id FROM piton_runs WHERE status = 'cancelled')",
        ),
        ("activities", "piton_activities"),
    ] {
        let left = scene.audit.count(&format!("SELECT count(*) FROM {rows}")).await;
        assert_eq!(left, 0, "{what} are left");
    }
    let cancelled: BTreeSet<&str> =
        ended.iter().filter(|(.., is)| *is).map(|(_, id, _)| id.as_str()).collect();
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    let is_of = |key: &str| cancelled.iter().any(|id| key.starts_with(id));
    // Attempts are lost with the lease of a worker that was killed, stopped or delayed, or with a response.
    let crashes = [cut_off, scene.audit.fenced().await].concat();
    let mut completed = 0;
    for (key, call) in calls {
        let call = call.in_order();
        // The activities of a cancelled run may not have ended.
        if is_of(&key) {
            assert!(call.began.is_sorted_by(|a, b| a < b), "{key}: {call:?}");
        } else {
            completed += 1;
            call.check(&key, &crashes);
        }
    }
    assert_eq!(completed, (ended.len() - cancelled.len()) * CALLS);
}
