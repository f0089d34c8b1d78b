//! W11: the cost of a branch of a fan-out: an activity, a spawned operation, a child.

use std::convert::Infallible;
use std::time::Instant;

use anyhow::{Result, ensure};
use piton::machine::{Workflow, WorkflowCall};

use crate::database::StoreKind;
use crate::inspector::{Inspector, STATISTICS_DELAY};
use crate::report::{Figure, Unit};
use crate::session::Session;
use crate::system::System;
use crate::workflows::{fan_of_activities, fan_of_children, fan_of_spawned};

/// How many branches a run has.
const BRANCHES: [usize; 3] = [10, 1_000, 10_000];

pub(crate) async fn run(session: &mut Session) -> Result<()> {
    for kind in session.options.stores.clone() {
        for branches in BRANCHES {
            let branches = u32::try_from(session.scaled(branches))?;
            measure(session, kind, "activities", branches, fan_of_activities).await?;
            measure(session, kind, "spawned operations", branches, fan_of_spawned).await?;
            measure(session, kind, "children", branches, fan_of_children).await?;
        }
    }
    Ok(())
}

/// Measures one run with so many branches.
async fn measure<W: Workflow<Output = u64, Error = Infallible>>(
    session: &mut Session,
    kind: StoreKind,
    what: &str,
    branches: u32,
    workflow: fn(u32) -> WorkflowCall<W>,
) -> Result<()> {
    let system = System::start(&mut session.databases, kind, |worker| worker).await?;
    let mut inspector = Inspector::connect(&system.database).await?;
    let rows_before = inspector.written_rows().await?;
    let begin = Instant::now();
    let run = system.client.start(workflow(branches)).await?;
    let returned = run.result().await?;
    let elapsed = begin.elapsed();
    ensure!(returned == u64::from(branches), "{returned} of {branches} branches have returned");
    let rows = match rows_before {
        Some(before) => {
            tokio::time::sleep(STATISTICS_DELAY).await;
            inspector.written_rows().await?.map(|after| after.saturating_sub(before))
        }
        None => None,
    };
    inspector.close().await?;
    system.stop().await?;

    let each = elapsed / branches;
    session.report.add(
        Figure::time("W11", format!("{branches} {what}, time each"), each)
            .store(kind)
            .detail(format!("{elapsed:.2?} in all")),
    );
    if let Some(rows) = rows {
        let each = rows as f64 / f64::from(branches);
        let name = format!("{branches} {what}, rows written each");
        session.report.add(Figure::new("W11", name, each, Unit::Plain).store(kind));
    }
    Ok(())
}
