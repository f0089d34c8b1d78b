//! Macros that need no compiler of their own, and the names of those that only `#[workflow]` knows.

/// Returns early with an [`Error`](crate::Error) that is written like a `format!`, or with an error that
/// there is.
///
/// ```
/// fn limit(cents: u64) -> piton::Result<u64> {
///     if cents > 100_000 {
///         piton::bail!("{cents} cents are too many");
///     }
///     Ok(cents)
/// }
/// assert!(limit(100_001).is_err());
///
/// fn read(text: &str) -> piton::Result<u64> {
///     match text.parse() {
///         Ok(cents) => Ok(cents),
///         Err(error) => piton::bail!(error),
///     }
/// }
/// assert_eq!(read("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[macro_export]
macro_rules! bail {
    ($message:literal $(,)?) => {
        return ::core::result::Result::Err(::core::convert::From::from(
            $crate::Error::msg(::core::format_args!($message)),
        ))
    };
    ($error:expr $(,)?) => {
        return ::core::result::Result::Err(::core::convert::From::from($error))
    };
    ($($message:tt)+) => {
        return ::core::result::Result::Err(::core::convert::From::from(
            $crate::Error::msg(::core::format_args!($($message)+)),
        ))
    };
}

/// Returns early with an [`Error`](crate::Error) unless a condition holds. Without a message, the
/// error shows the condition.
///
/// ```
/// fn limit(cents: u64) -> piton::Result<u64> {
///     piton::ensure!(cents <= 100_000, "{cents} cents are too many");
///     piton::ensure!(cents > 0);
///     Ok(cents)
/// }
/// assert_eq!(limit(0).unwrap_err().to_string(), "condition failed: `cents > 0`");
/// ```
#[macro_export]
macro_rules! ensure {
    ($condition:expr $(,)?) => {
        $crate::ensure!(
            $condition,
            "condition failed: `{}`",
            ::core::stringify!($condition)
        )
    };
    ($condition:expr, $($message:tt)+) => {
        // A `match`, because `!$condition` would ask for a second meaning of `!`.
        match $condition {
            true => {}
            false => $crate::bail!($($message)+),
        }
    };
}

/// Awaits several operations in a workflow and continues with the one that ends first. The others are
/// given up.
///
/// ```text
/// let approved = select! {
///     ok = cx.signal::<Approve>() => Some(ok.by),
///     _ = cx.sleep(days(3)) => None,
/// };
/// ```
///
/// Each branch is `pattern = operation => expression`, or `pattern = operation, if condition => expression`.
/// The operations are awaited by the macro; the expressions may await.
///
/// A branch whose condition is false is not begun. One whose pattern does not match the value is not awaited
/// any more, and the others are. If no branch is left, the last one runs, `else => expression`; without it, that is a
/// panic.
///
/// If several operations have ended, the branch counts that has been ready for longest: what has arrived in the order
/// of arrival, before times that have passed since the run's last step; a time that had passed by then goes first. What
/// is ready since the same moment is taken in the order of the source. Calls of workflows are looked at before
/// the others. With `biased;` in front of the branches, and if an `async` block is among them, the order of the
/// source decides alone.
///
/// Only the body of a `#[workflow]` function gives `select!` a meaning; anywhere else it is an error.
#[macro_export]
macro_rules! select {
    ($($tokens:tt)*) => {
        ::core::compile_error!(
            "`piton::select!` works only in the body of a `#[workflow]` function\n\n  \
             help: in other async code use `tokio::select!`"
        )
    };
}

/// Awaits several operations in a workflow at the same time and gives all of their results, as a
/// tuple.
///
/// ```text
/// let (stock, price) = join!(stock(&sku), async { price(&sku).await.unwrap_or(0) });
/// ```
///
/// An operation is an activity call, a call of another workflow, a method of the context such as
/// `cx.sleep(…)`, or an `async` block that awaits some of these.
///
/// Only the body of a `#[workflow]` function gives `join!` a meaning; anywhere else it is an error.
/// For a number of operations that is known only at run time, see
/// [`join_all`](crate::machine::join_all).
#[macro_export]
macro_rules! join {
    ($($tokens:tt)*) => {
        ::core::compile_error!(
            "`piton::join!` works only in the body of a `#[workflow]` function\n\n  \
             help: in other async code use `tokio::join!`"
        )
    };
}

/// Awaits several operations in a workflow at the same time, each giving a `Result`. Gives `Ok` with
/// a tuple of all values, or the first `Err` as soon as there is one; the others are then given up.
///
/// ```text
/// let (stock, price) = try_join!(stock(&sku), price(&sku))?;
/// ```
///
/// Only the body of a `#[workflow]` function gives `try_join!` a meaning; anywhere else it is an
/// error.
#[macro_export]
macro_rules! try_join {
    ($($tokens:tt)*) => {
        ::core::compile_error!(
            "`piton::try_join!` works only in the body of a `#[workflow]` function\n\n  \
             help: in other async code use `tokio::try_join!`"
        )
    };
}

#[cfg(test)]
mod tests {
    use crate::Result;

    fn checked(value: i32, limit: i32) -> Result<i32> {
        crate::ensure!(value > 0);
        crate::ensure!(value < limit, "{value} is not below {}", limit);
        if value == 7 {
            crate::bail!("no sevens");
        }
        Ok(value)
    }

    #[test]
    fn bail_and_ensure_return_their_message() {
        let message = |value| checked(value, 10).expect_err("refused").to_string();
        assert_eq!(checked(3, 10), Ok(3));
        assert_eq!(message(0), "condition failed: `value > 0`");
        assert_eq!(message(12), "12 is not below 10");
        assert_eq!(message(7), "no sevens");
    }

    #[test]
    fn bail_makes_the_error_type_of_the_function() {
        #[derive(Debug, PartialEq)]
        struct Own(String);
        impl From<crate::Error> for Own {
            fn from(error: crate::Error) -> Self {
                Self(error.to_string())
            }
        }
        fn refuse() -> std::result::Result<(), Own> {
            crate::bail!("no");
        }
        assert_eq!(refuse(), Err(Own("no".into())));
    }
}
