//! The shared state of all workloads of one run.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use crate::database::{Databases, StoreKind};
use crate::raw::RawLimits;
use crate::report::{Figure, Report};

/// The options of the run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The stores to measure.
    pub(crate) stores: Vec<StoreKind>,
    /// Where databases are put.
    pub(crate) directory: PathBuf,
    /// Sizes of workloads are multiplied by this.
    pub(crate) scale: f64,
    /// How long each raw setting is measured.
    pub(crate) raw_duration: Duration,
    /// The size of a snapshot in the raw limits.
    pub(crate) state_bytes: usize,
    /// For how long `w9` holds a snapshot open.
    pub(crate) open_snapshot: Duration,
}

/// One run of the program.
#[derive(Debug)]
pub(crate) struct Session {
    /// How it was asked for.
    pub(crate) options: Options,
    /// Where databases come from.
    pub(crate) databases: Databases,
    /// Where figures go.
    pub(crate) report: Report,
    limits: Vec<(StoreKind, RawLimits)>,
}

impl Session {
    /// A run without figures.
    pub(crate) fn new(options: Options) -> Self {
        let databases = Databases::new(&options.directory);
        Self { options, databases, report: Report::default(), limits: Vec::new() }
    }

    /// `size`, scaled, and at least 1.
    pub(crate) fn scaled(&self, size: usize) -> usize {
        ((size as f64 * self.options.scale) as usize).max(1)
    }

    /// The raw limits of a store, measured when first needed.
    pub(crate) async fn raw_limits(&mut self, kind: StoreKind) -> Result<RawLimits> {
        if let Some((_, limits)) = self.limits.iter().find(|(known, _)| *known == kind) {
            return Ok(limits.clone());
        }
        let Options { state_bytes, raw_duration, .. } = self.options;
        for (name, value) in self.databases.settings(kind).await? {
            self.report.setting(format!("{} {name}", kind.as_str()), value);
        }
        self.report.setting("raw snapshot bytes", state_bytes);
        let limits =
            RawLimits::measure(&mut self.databases, kind, state_bytes, raw_duration).await?;
        limits.report(kind, &mut self.report);
        self.limits.push((kind, limits.clone()));
        Ok(limits)
    }

    /// Measures the disk and the raw limits of all stores.
    pub(crate) async fn measure_raw(&mut self) -> Result<()> {
        let (directory, duration) = (self.options.directory.clone(), self.options.raw_duration);
        let synced =
            tokio::task::spawn_blocking(move || crate::raw::fdatasync(&directory, duration))
                .await??;
        self.report.add(Figure::time("raw", "8 KiB write + fdatasync p50", synced.p50()));
        self.report.add(Figure::time("raw", "8 KiB write + fdatasync p99", synced.p99()));
        for kind in self.options.stores.clone() {
            self.raw_limits(kind).await?;
        }
        Ok(())
    }
}
