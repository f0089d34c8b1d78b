//! What one step of a machine costs without engine and database, beside hand-written serde code that
//! does the same with the same codec: decode a state of ten locals and some 500 bytes, take an
//! activity's result, ask for the next activity, encode the state.

use std::alloc::System;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use piton::codec;
use piton::machine::{Machine, OperationOutcome, RunInfo, Workflow, WorkflowEntry};
use piton::model::{Handle, Payload, RunId, Snapshot, Timestamp};
use piton::prelude::*;
use serde::{Deserialize, Serialize};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// 60 bytes.
const TEXT: &str = "a line of text as orders, addresses and receipts have them..";

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Item {
    sku: u64,
    quantity: u32,
    label: String,
}

#[activity]
async fn look_up(sku: u64) -> Result<u64, String> {
    Ok(sku)
}

/// Ten locals live across the await in the loop: six arguments, `total`, `seen`, the iterator and the
/// call. As everyday code it may fail at each.
#[workflow]
async fn typical(
    id: u64,
    customer: String,
    address: String,
    items: Vec<Item>,
    note: Option<String>,
    receipt: (u64, String),
) -> piton::Result<u64> {
    let mut total = 0;
    let mut seen = Vec::new();
    for round in 0..u64::MAX {
        let found = look_up(round).await?;
        total += found;
        if seen.len() < 8 {
            seen.push(found);
        }
    }
    drop((customer, address, items, note, receipt, seen));
    Ok(total + id)
}

/// The same state by hand.
#[derive(Serialize, Deserialize)]
struct ByHand {
    id: u64,
    customer: String,
    address: String,
    items: Vec<Item>,
    note: Option<String>,
    receipt: (u64, String),
    total: u64,
    seen: Vec<u64>,
    round: u64,
    handle: u64,
}

type Arguments = (u64, String, String, Vec<Item>, Option<String>, (u64, String));

fn arguments() -> Arguments {
    let text = || TEXT.to_owned();
    let item = |sku| Item { sku, quantity: 3, label: text() };
    (42, text(), text(), (0..3).map(item).collect(), Some(text()), (7, text()))
}

impl ByHand {
    fn new() -> Self {
        let (id, customer, address, items, note, receipt) = arguments();
        let seen = (0..8).collect();
        Self { id, customer, address, items, note, receipt, total: 28, seen, round: 8, handle: 8 }
    }
}

/// Decodes the state and the result, goes on, encodes the state and the next call.
fn step_by_hand(state: &[u8], result: &Payload) -> (Vec<u8>, Payload) {
    let mut state: ByHand = codec::decode(state).expect("a state");
    let found: Result<u64, String> = codec::from_payload(result).expect("a result");
    let found = found.expect("a number");
    state.total += found;
    if state.seen.len() < 8 {
        state.seen.push(found);
    }
    state.round += 1;
    state.handle += 1;
    let mut bytes = Vec::with_capacity(512);
    codec::encode_into(&state, &mut bytes).expect("a state");
    (bytes, codec::to_payload(&(state.round,)).expect("a number"))
}

/// A machine in its eighth round.
fn machine() -> Machine {
    let run = RunInfo { run_id: RunId::new(), workflow_id: "bench".into() };
    let arguments = codec::to_payload(&arguments()).expect("arguments");
    let mut machine = Machine::start(typical::entry(), run, &arguments).expect("a machine");
    machine.step(Timestamp::now()).expect("a step");
    for _ in 0..8 {
        step(&mut machine);
    }
    machine
}

/// Hands the machine the result of its activity and steps it.
fn step(machine: &mut Machine) {
    let handle = outstanding(machine);
    let result = codec::to_payload(&Ok::<u64, String>(handle.0)).expect("a result");
    machine.deliver_outcome(None, handle, OperationOutcome::Returned(result));
    machine.step(Timestamp(0)).expect("a step");
}

fn outstanding(machine: &Machine) -> Handle {
    machine.with_operations(|operations| operations[0].0)
}

fn resume(entry: &'static WorkflowEntry, run: &RunInfo, bytes: &[u8]) -> Machine {
    let snapshot: Snapshot = codec::decode_snapshot(bytes).expect("a snapshot");
    Machine::resume(entry, run.clone(), snapshot)
}

fn count_allocations(name: &str, mut step: impl FnMut()) {
    const STEPS: usize = 1_000;
    let region = Region::new(ALLOCATOR);
    (0..STEPS).for_each(|_| step());
    let change = region.change();
    println!(
        "{name}: {:.1} allocations, {} bytes per step",
        (change.allocations + change.reallocations) as f64 / STEPS as f64,
        change.bytes_allocated / STEPS,
    );
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");

    let mut state = Vec::new();
    codec::encode_into(&ByHand::new(), &mut state).expect("a state");
    let result = codec::to_payload(&Ok::<u64, String>(8)).expect("a result");
    let mut by_hand = || {
        black_box(step_by_hand(black_box(&state), black_box(&result)));
    };
    println!("the state by hand: {} bytes", state.len());
    count_allocations("by hand", &mut by_hand);
    group.bench_function("by hand", |bencher| bencher.iter(&mut by_hand));

    let mut stepped = machine();
    let snapshot = stepped.encode_snapshot().expect("a snapshot");
    println!("the snapshot: {} bytes", snapshot.len());
    count_allocations("machine", || step(&mut stepped));
    group.bench_function("machine", |bencher| bencher.iter(|| step(&mut stepped)));

    let mut committed = machine();
    let mut step_and_encode = || {
        step(&mut committed);
        black_box(committed.encode_snapshot().expect("a snapshot"));
    };
    count_allocations("machine and snapshot", &mut step_and_encode);
    group.bench_function("machine and snapshot", |bencher| bencher.iter(&mut step_and_encode));

    let entry = machine().entry();
    let run = RunInfo { run_id: RunId::new(), workflow_id: "bench".into() };
    let mut resume_and_step = || {
        let mut resumed = resume(entry, &run, black_box(&snapshot));
        step(&mut resumed);
        black_box(resumed.encode_snapshot().expect("a snapshot"));
    };
    count_allocations("resume, step and snapshot", &mut resume_and_step);
    group.bench_function("resume, step and snapshot", |bencher| {
        bencher.iter(&mut resume_and_step);
    });
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
