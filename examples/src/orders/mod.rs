//! orders
pub mod catalog;
pub mod gateway;
pub mod input;
pub mod options;
pub mod order;
pub mod progress;
pub mod report;
pub mod runs;
pub mod storage;
pub mod verify;
