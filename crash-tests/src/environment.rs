//! Environment variables of the tests.

/// The number in an environment variable, or `default` if it is not set.
///
/// # Panics
/// If it is not a number.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| value.parse().expect("it is a number"))
}
