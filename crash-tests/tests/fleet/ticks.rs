//! Schedules of one second while all workers are killed: each time starts one run, or sends one signal.

use std::collections::BTreeSet;
use std::time::Duration;

use piton::client::{Overlap, Schedule};
use piton::filter::Filter;
use piton::model::Timestamp;
use piton::prelude::*;
use piton::schedule::{Spec, UnixSeconds};
use piton_crash_tests::clockwork::{Strike, beat, listen};
use piton_crash_tests::random::Random;

use crate::member::Member;
use crate::scene::{Scene, wait_until};

const LEASE: Duration = Duration::from_secs(15);

const WORKERS: usize = 2;

/// The number of schedules that start runs. Their offsets differ, so that each has its own round.
const SCHEDULES: u64 = 3;

/// The number of due times of each schedule.
const TIMES: u64 = 6;

/// The fail points at which workers die, one after another. A schedule whose round was not finished is due again ten
/// seconds after the claim, so these come first, all at once.
const DEATHS: [&str; 2] = ["after_claim_schedules:1=kill", "before_save_schedules:2=kill"];

const KILLS: u64 = 6;

pub(crate) async fn each_time_starts_one_run_whoever_is_killed(mut scene: Scene) {
    let (client, random) = (scene.client.clone(), Random::from_environment());
    let start = async |number: usize, environment: &[(&str, &str)]| {
        let url = scene.url.clone();
        scene.worker_at(&format!("ticker_{number}"), &url, LEASE, environment).await
    };
    each_time_starts_one_run(&client, random, start).await;
    scene.audit.check_steps().await;
}

pub(crate) async fn each_time_starts_one_run_on_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.expect("a new file");
    let start = async |_, environment: &[(&str, &str)]| {
        Member::start(&url, folder.path(), LEASE, environment).await
    };
    each_time_starts_one_run(&client, Random::from_environment(), start).await;
}

async fn each_time_starts_one_run(
    client: &Client,
    mut random: Random,
    mut start: impl AsyncFnMut(usize, &[(&str, &str)]) -> Member,
) {
    let listener = client.start(listen()).id("listener").await.expect("it can be started");
    let begin = UnixSeconds(Timestamp::now().as_micros() / 1_000_000 + 1);
    let end = UnixSeconds(begin.0 + TIMES.cast_signed() - 1);
    let spec = Spec::new().every(seconds(1)).start(begin).end(end).jitter(seconds(1));
    let mut schedules = Vec::new();
    for number in 0..SCHEDULES {
        let schedule = client.schedule(format!("ticks{number}"));
        let create = schedule.create(spec.clone(), beat()).overlap(Overlap::AllowAll);
        create.catch_up_window(minutes(5)).await.expect("it can be created");
        schedules.push(schedule);
    }
    let strikes = client.schedule("strikes");
    let create = strikes.create_signal(spec, "listener", Strike { is_last: false });
    create.catch_up_window(minutes(5)).await.expect("it can be created");
    schedules.push(strikes);

    let mut members = Vec::new();
    let mut number = 0;
    for death in DEATHS {
        members.push(start(number, &[("PITON_FAILPOINT", death)]).await);
        number += 1;
    }
    assert_eq!(members.len(), WORKERS);
    let whole = TIMES * SCHEDULES;
    let mut dead = 0;
    // The first claim, or the second write, of any worker.
    wait_until("a worker has died at its point", async || members.iter_mut().any(Member::has_died))
        .await;
    for kill in 0..KILLS {
        let goal = (whole * kill + random.below(whole)) / KILLS;
        wait_until("the schedules have got on", async || {
            // One worker must be alive.
            for member in &mut members {
                if member.has_died() {
                    dead += 1;
                    number += 1;
                    *member = start(number, &[]).await;
                }
            }
            started(&schedules).await >= goal
        })
        .await;
        let victim = random.below(members.len() as u64) as usize;
        dead += usize::from(members.swap_remove(victim).end().await);
        number += 1;
        members.push(start(number, &[]).await);
    }
    wait_until("all is started", async || started(&schedules).await == whole + TIMES).await;
    let runs = client.list_runs("workflow = 'beat'".parse::<Filter>().expect("a filter"));
    let runs = runs.limit(1_000).await.expect("they can be listed").runs;
    let ids: BTreeSet<&str> = runs.iter().map(|run| run.workflow_id.as_str()).collect();
    let expected: BTreeSet<String> = (0..SCHEDULES)
        .flat_map(|number| {
            (begin.0..=end.0).map(move |at| format!("ticks{number}-{}", UnixSeconds(at)))
        })
        .collect();
    assert_eq!(ids, expected.iter().map(String::as_str).collect());
    assert_eq!(runs.len(), expected.len(), "two runs have the same time");
    for schedule in &schedules {
        let counts = schedule.describe().await.expect("it is there").counts;
        assert_eq!((counts.started, counts.missed, counts.refused), (TIMES, 0, 0));
    }
    let last = listener.signal(Strike { is_last: true });
    last.dedup_key("last").await.expect("it can be sent");
    assert_eq!(listener.result().await.expect("it completes"), TIMES);
    println!("{KILLS} kills, {dead} deaths at chosen points, {number} workers");
    for member in members {
        member.leave().await;
    }
}

/// The number of runs that the schedules have started and of signals that they have sent.
async fn started(schedules: &[Schedule]) -> u64 {
    let mut started = 0;
    for schedule in schedules {
        started += schedule.describe().await.expect("it is there").counts.started;
    }
    started
}
