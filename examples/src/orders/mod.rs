//! orders
pub mod catalog;
pub mod input;
pub mod order;
