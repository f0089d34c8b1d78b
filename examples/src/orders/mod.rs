//! orders
pub mod catalog;
pub mod gateway;
pub mod input;
pub mod order;
