//! An order desk: charge, reserve, approve, ship; or refund and release.
//!
//! The main example. Every order of a CSV file is a durable run of one workflow, against a payment
//! gateway and warehouse that fail, answer late and decline cards. Kill the program at any moment,
//! start it again with the same command, and every order ends as if nothing had happened.
//!
//! | to see | read |
//! |---|---|
//! | the business logic, in one function | [`workflow`] |
//! | its calls of other systems | [`activities`] |
//! | the outside world and its trouble | [`gateway`] |
//! | how a program starts, resumes and watches runs | [`job`], [`runs`], [`approver`] |
//! | the properties that must survive a crash | [`verify`] |
//! | orders and the file they come from | [`order`], [`catalog`], [`input`] |
//! | the command line and its output | [`options`], [`progress`], [`report`], [`storage`], [`error`] |

pub mod activities;
pub mod approver;
pub mod catalog;
pub mod error;
pub mod gateway;
pub mod input;
pub mod job;
pub mod options;
pub mod order;
pub mod progress;
pub mod report;
pub mod runs;
pub mod storage;
pub mod verify;
pub mod workflow;
