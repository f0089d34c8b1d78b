//! The lives of simulated processes with workers.

use std::sync::Arc;
use std::time::Duration;

use piton::client::Client;
use piton::process::Process;
use piton::store::MemoryStore;
use piton::worker::{Queue, Worker};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::faults::{Fault, Wire};
use crate::program::QUEUES;
use crate::world::{Phase, World};

/// The minimum time between two events of a process.
const QUIET_FOR: Duration = Duration::from_secs(10);

/// The wait before an ended process is started again.
const RESTART_AFTER: Duration = Duration::from_millis(500);

/// Keeps one process running until the end of the simulation: starts it again whenever it has ended.
pub(crate) async fn keep(world: Arc<World>, slot: usize) {
    for life in 1.. {
        let name = format!("p{slot}.{life}");
        live(&world, &name, slot, life).await;
        world.remove_client(&name);
        if world.phase() == Phase::Over {
            return;
        }
        sleep(RESTART_AFTER).await;
    }
}

/// One process from its start to its end.
async fn live(world: &Arc<World>, name: &str, slot: usize, life: usize) {
    // Several builds at a time, and one after the other in the same place: deployed, and rolled back.
    let builds = &world.plan.builds;
    let build = builds[(slot + world.faults.below(life as u64) as usize) % builds.len()];
    let process = build.map_or_else(Process::new, Process::of_build);
    let connection = world.database.connect();
    let (stop, stopping) = watch::channel(false);
    let wire = Wire {
        world: Arc::clone(world),
        name: name.to_owned(),
        process: Some(process.clone()),
        stop: stop.clone(),
    };
    connection.set_hook(Arc::new(wire));
    world.journal.note(name, format_args!("starts, with build {build:?}"));
    world.add_life(name, &process);
    let place = Place { name: name.to_owned(), process: process.clone(), slot };
    let serving = serve(Arc::clone(world), place, &connection, stopping);
    let mut serving = tokio::spawn(process.scope(serving));
    loop {
        let faulty = async {
            // Events of a process come at any instant.
            let quiet = sleep(world.faults.duration(QUIET_FOR) + Duration::from_millis(1));
            let _ = timeout(QUIET_FOR, async {
                tokio::select! {
                    biased;
                    () = world.death.notified() => {}
                    () = quiet => {}
                }
            })
            .await;
        };
        tokio::select! {
            biased;
            () = world.over() => break,
            _ = &mut serving => return,
            () = faulty => {}
        }
        if process.is_killed() {
            break;
        }
        match happening(world) {
            None => {}
            Some(Happening::Kill { is_noticed }) => {
                world.journal.note(name, format_args!("is killed"));
                process.kill();
                if is_noticed {
                    connection.disconnect();
                }
                break;
            }
            Some(Happening::Pause) => {
                world.journal.note(name, format_args!("stands still"));
                world.pause(name, &process);
            }
            Some(Happening::Disconnect) => {
                world.journal.note(name, format_args!("counts as dead"));
                world.trouble(name, Duration::ZERO);
                connection.disconnect();
            }
            Some(Happening::Shutdown) => {
                world.journal.note(name, format_args!("shuts down"));
                stop.send_replace(true);
                let _ = timeout(QUIET_FOR * 10, &mut serving).await;
                process.kill();
                return;
            }
        }
    }
    if process.is_killed() {
        serving.abort();
        return;
    }
    stop.send_replace(true);
    // The waiting task reports if this takes too long.
    let _ = serving.await;
}

/// An event of a process.
enum Happening {
    Kill { is_noticed: bool },
    Pause,
    Disconnect,
    Shutdown,
}

fn happening(world: &World) -> Option<Happening> {
    if world.phase() != Phase::Faulty {
        // Workers are also restarted in order after the end of the faults.
        return (world.faults.below(16) == 0).then_some(Happening::Shutdown);
    }
    if world.strikes(Fault::Outage) {
        let length = world.faults.duration(Duration::from_secs(30));
        world.journal.note("", format_args!("the database is away for {length:?}"));
        world.faults.begin_outage(length);
    }
    if world.strikes(Fault::ClockJump) {
        world.jump();
    }
    match world.faults.below(4) {
        0 if world.strikes(Fault::Crash) => {
            Some(Happening::Kill { is_noticed: world.faults.below(2) == 0 })
        }
        1 if world.strikes(Fault::Pause) => Some(Happening::Pause),
        2 if world.strikes(Fault::Disconnect) => Some(Happening::Disconnect),
        3 if world.faults.below(2) == 0 => Some(Happening::Shutdown),
        _ => None,
    }
}

/// The position of a worker.
struct Place {
    name: String,
    process: Process,
    slot: usize,
}

/// The task of the process: a worker, until it is requested to stop.
fn serve(
    world: Arc<World>,
    Place { name, process, slot }: Place,
    connection: &Arc<MemoryStore>,
    mut stopping: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send + 'static {
    let connection = Arc::clone(connection);
    async move {
        let client = Client::new(connection);
        world.add_client(&name, process, client.clone());
        let plan = &world.plan;
        let is_apart = plan.queue_is_apart && plan.processes > 1;
        let is_last = slot + 1 == plan.processes;
        let worker = loop {
            let worker = Worker::new(&client)
                .provide(Arc::clone(&world))
                .lease(plan.lease)
                .poll_interval(plan.poll_interval)
                .park_after(plan.park_after)
                .max_runs(plan.max_runs)
                .max_activities(plan.max_activities)
                .commit_lanes(plan.commit_lanes);
            let queues = QUEUES.iter().zip(&plan.queues).map(|(name, limits)| {
                let queue = Queue::new(*name).max_concurrent(limits.places);
                limits.per_second.map_or(queue.clone(), |rate| queue.max_per_second(rate))
            });
            let worker = match (is_apart, is_last) {
                (true, true) => queues.fold(worker.without_workflows(), Worker::queue),
                (true, false) => worker,
                (false, _) => queues.fold(worker, Worker::queue),
            };
            match worker.start().await {
                Ok(worker) => break worker,
                Err(_) if *stopping.borrow() => return,
                Err(error) => {
                    world.journal.note(&name, format_args!("cannot start: {error}"));
                    sleep(RESTART_AFTER).await;
                }
            }
        };
        world.serves(&name, !(is_apart && is_last));
        let _ = stopping.wait_for(|stop| *stop).await;
        world.stops(&name);
        match worker.shutdown().await {
            Ok(()) => world.has_stopped(&name),
            Err(error) => {
                world.journal.note(&name, format_args!("cannot hand back its runs: {error:#}"));
            }
        }
    }
}
