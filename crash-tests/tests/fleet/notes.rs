//! Notes from run to run, through workers that are killed: each is taken once and in order.

use std::time::Duration;

use piton::client::Client;
use piton_crash_tests::at_once::at_once;
use piton_crash_tests::environment::number;
use piton_crash_tests::exchange::{CLIENT_POINT, Exchange, SMALL, WORKER_POINTS, arrived};
use piton_crash_tests::random::Random;
use sqlx::{AnyConnection, Connection as _};

use crate::file_audit::FileAudit;
use crate::member::Member;
use crate::scene::{Scene, wait_until};

const LEASE: Duration = Duration::from_secs(15);

/// Runs that wait for a timer are parked, like those that wait for a note; and no worker may hold so many runs that the
/// others get none.
const LIMITS: [(&str, &str); 2] = [("PITON_PARK_AFTER_MS", "0"), ("PITON_MAX_RUNS", "12")];

/// The maximum number of times that a worker passes a point before it dies there.
const MAX_PASSED: u64 = 5;

/// The default number of killed workers.
const KILLS: u64 = 8;

/// One process does everything, as on SQLite.
pub(crate) async fn a_killed_process_sends_every_note_once(scene: Scene) {
    let mut cases = Vec::new();
    for point in WORKER_POINTS.into_iter().chain([CLIENT_POINT]) {
        cases.push((point, scene.new_database().await));
    }
    at_once(cases, |(point, url)| {
        let program = SMALL.program(env!("CARGO_BIN_EXE_piton-exchange"), &url);
        program.is_killed_at(point, 3);
        program.is_killed_at(point, 1);
        program.finish();
    });
}

/// `PITON_EXCHANGE_KILLS` and `PITON_EXCHANGE_NOTES` set the size.
pub(crate) async fn notes_of_killed_workers_are_taken_once(mut scene: Scene) {
    let (client, url) = (scene.client.clone(), scene.url.clone());
    let mut count = 0;
    with_kills(&client, &url, 4, async |environment| {
        count += 1;
        scene.worker_at(&format!("postman_{count}"), &url, LEASE, environment).await
    })
    .await;
    scene.audit.check_steps().await;
}

/// Two workers, and the client in a third process.
pub(crate) async fn notes_of_workers_killed_on_one_file_are_taken_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.expect("a new file");
    let mut audit = FileAudit::install(&url).await;
    with_kills(&client, &url, 2, async |environment| {
        Member::start(&url, folder.path(), LEASE, environment).await
    })
    .await;
    audit.check_steps(Exchange::whole().runs()).await;
}

/// Drives an exchange with this many workers. Some die at fail points, all may be killed at any instant, and each is
/// soon replaced.
async fn with_kills(
    client: &Client,
    url: &str,
    workers: u64,
    mut start: impl AsyncFnMut(&[(&str, &str)]) -> Member,
) {
    let exchange = Exchange::whole();
    let kills = number("PITON_EXCHANGE_KILLS", KILLS);
    let mut random = Random::from_environment();
    let mut members = Vec::new();
    for _ in 0..workers {
        members.push(start(&LIMITS).await);
    }
    exchange.start(client).await.expect("the database is there");
    sqlx::any::install_default_drivers();
    let mut books = AnyConnection::connect(url).await.expect("the database is there");
    let mut died_at_points = 0;
    for kill in 0..kills {
        let goal = (exchange.notes() * kill + random.below(exchange.notes())) / kills;
        wait_until("the notes have arrived", async || {
            arrived(&mut books).await.expect("readable") >= goal
        })
        .await;
        let place = random.below(workers) as usize;
        let point = WORKER_POINTS[random.below(WORKER_POINTS.len() as u64) as usize];
        let spec = format!("{point}:{}=kill", 1 + random.below(MAX_PASSED));
        let mut environment = LIMITS.to_vec();
        // The first one has no fail point, so that one worker always remains.
        if place > 0 {
            environment.push(("PITON_FAILPOINT", &spec));
        }
        died_at_points += u64::from(members.remove(place).end().await);
        members.insert(place, start(&environment).await);
    }
    // Replaces the workers with fail points by others without.
    for member in members.split_off(1) {
        died_at_points += u64::from(member.end().await);
        members.push(start(&LIMITS).await);
    }
    exchange.finish(client, url).await.expect("the books balance");
    books.close().await.expect("it works");
    println!("{} notes, {kills} kills, {died_at_points} at points", exchange.notes());
    for member in members {
        member.leave().await;
    }
}
