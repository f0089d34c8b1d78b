//! Collecting the results of a [`Map`](super::Map).

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::generated::MayFail;

/// How the results of the items are collected; decides the output of a [`Map`](super::Map).
pub trait Gather<T>: sealed::Sealed {
    /// The output.
    type Output;

    /// Whether it needs the numbers of failed items.
    #[doc(hidden)]
    const COUNTS_FAILURES: bool = true;

    /// Whether to keep the result of an item.
    #[doc(hidden)]
    fn keeps(has_failed: bool) -> bool;

    /// The output for the kept results, by item number. `is_over` says that too many items have failed.
    #[doc(hidden)]
    fn gathered(results: Vec<(u32, T)>, counts: MapCounts, is_over: bool) -> Self::Output;
}

mod sealed {
    /// Prevents other implementations.
    pub trait Sealed {}
}

/// All results, in the order of the items.
#[derive(Debug)]
pub enum All {}

/// Like [`All`], but ends if too many items fail.
#[derive(Debug)]
pub enum Tolerant {}

/// The number of results.
#[derive(Debug)]
pub enum Counted {}

/// Like [`Counted`], but ends if too many items fail.
#[derive(Debug)]
pub enum TolerantCount {}

impl sealed::Sealed for All {}
impl sealed::Sealed for Tolerant {}
impl sealed::Sealed for Counted {}
impl sealed::Sealed for TolerantCount {}

/// The numbers of items of a [`Map`](super::Map) by result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapCounts {
    /// Number of items.
    pub total: u32,
    /// Number of items that succeeded.
    pub succeeded: u32,
    /// Number of items that failed.
    pub failed: u32,
}

/// More items of a [`Map`](super::Map) have failed than are tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooManyFailures<E> {
    /// The indexes of the failed items, with their errors.
    pub failures: Vec<(u32, E)>,
    /// Number of items that had succeeded by then.
    pub succeeded: u32,
    /// Number of items.
    pub total: u32,
}

impl<E: fmt::Display> fmt::Display for TooManyFailures<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} items have failed", self.failures.len(), self.total)?;
        match self.failures.first() {
            Some((number, error)) => write!(f, ", first item {number}: {error}"),
            None => Ok(()),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> Error for TooManyFailures<E> {}

impl<T> Gather<T> for All {
    type Output = Vec<T>;
    const COUNTS_FAILURES: bool = false;

    fn keeps(_: bool) -> bool {
        true
    }

    fn gathered(results: Vec<(u32, T)>, _: MapCounts, _: bool) -> Vec<T> {
        results.into_iter().map(|(_, result)| result).collect()
    }
}

impl<T: MayFail> Gather<T> for Tolerant {
    type Output = Result<Vec<Result<T::Value, T::Error>>, TooManyFailures<T::Error>>;

    fn keeps(_: bool) -> bool {
        true
    }

    fn gathered(results: Vec<(u32, T)>, counts: MapCounts, is_over: bool) -> Self::Output {
        match is_over {
            true => Err(failures(results, counts)),
            false => Ok(results.into_iter().map(|(_, result)| result.into_result()).collect()),
        }
    }
}

impl<T: MayFail> Gather<T> for Counted {
    type Output = MapCounts;

    fn keeps(_: bool) -> bool {
        false
    }

    fn gathered(_: Vec<(u32, T)>, counts: MapCounts, _: bool) -> MapCounts {
        counts
    }
}

impl<T: MayFail> Gather<T> for TolerantCount {
    type Output = Result<MapCounts, TooManyFailures<T::Error>>;

    fn keeps(has_failed: bool) -> bool {
        has_failed
    }

    fn gathered(results: Vec<(u32, T)>, counts: MapCounts, is_over: bool) -> Self::Output {
        if is_over { Err(failures(results, counts)) } else { Ok(counts) }
    }
}

fn failures<T: MayFail>(results: Vec<(u32, T)>, counts: MapCounts) -> TooManyFailures<T::Error> {
    let failure = |(number, result): (u32, T)| Some((number, result.into_result().err()?));
    let failures = results.into_iter().filter_map(failure).collect();
    TooManyFailures { failures, succeeded: counts.succeeded, total: counts.total }
}
