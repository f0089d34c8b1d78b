//! `for` loops over ranges: the rest of a range, in a form that can be saved.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::{Range, RangeFrom, RangeInclusive};

use serde::{Deserialize, Serialize};

/// A type of numbers that a range can count.
pub trait Count: Copy + PartialOrd {
    /// The next number, or `None` after the last.
    fn next(self) -> Option<Self>;

    /// The next number of a range without an end.
    ///
    /// # Panics
    /// After the last, if overflow checks are on.
    fn next_without_end(self) -> Self;
}

macro_rules! count {
    ($($number:ty: $next:expr;)*) => {
        $(impl Count for $number {
            fn next(self) -> Option<Self> {
                ($next)(self)
            }

            fn next_without_end(self) -> Self {
                let mut rest = self..;
                rest.next();
                rest.start
            }
        })*
    };
}

macro_rules! count_integers {
    ($($integer:ty)*) => { count! { $($integer: |number: $integer| number.checked_add(1);)* } };
}

count_integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

count! {
    // The range skips the surrogates.
    char: |letter| (letter..=char::MAX).nth(1);
    Ipv4Addr: |address: Ipv4Addr| address.to_bits().checked_add(1).map(Ipv4Addr::from_bits);
    Ipv6Addr: |address: Ipv6Addr| address.to_bits().checked_add(1).map(Ipv6Addr::from_bits);
}

/// The rest of a range: the next number and the last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counter<T> {
    next: Option<T>,
    end: End<T>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum End<T> {
    Before(T),
    At(T),
    Never,
}

/// A range with a start, for a `for` loop.
pub trait CountedRange {
    /// The type of its numbers.
    type Item: Count;

    /// The counter before the first number.
    fn counter(self) -> Counter<Self::Item>;
}

impl<T: Count> CountedRange for Range<T> {
    type Item = T;

    fn counter(self) -> Counter<T> {
        Counter { next: Some(self.start), end: End::Before(self.end) }
    }
}

impl<T: Count> CountedRange for RangeInclusive<T> {
    type Item = T;

    fn counter(self) -> Counter<T> {
        let (start, end) = self.into_inner();
        Counter { next: Some(start), end: End::At(end) }
    }
}

impl<T: Count> CountedRange for RangeFrom<T> {
    type Item = T;

    fn counter(self) -> Counter<T> {
        Counter { next: Some(self.start), end: End::Never }
    }
}

/// Converts a range to the form that a loop saves.
pub fn range<R: CountedRange>(range: R) -> Counter<R::Item> {
    range.counter()
}

impl<T: Count> Iterator for Counter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let number = self.next?;
        let is_within = match self.end {
            End::Before(end) => number < end,
            End::At(end) => number <= end,
            End::Never => {
                self.next = Some(number.next_without_end());
                return Some(number);
            }
        };
        self.next = if is_within { number.next() } else { None };
        is_within.then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_count_like_ranges() {
        assert_eq!(range(3..6).collect::<Vec<_>>(), (3..6).collect::<Vec<_>>());
        assert_eq!(range(3..=6).collect::<Vec<_>>(), (3..=6).collect::<Vec<_>>());
        assert_eq!(range(250_u8..=255).count(), 6);
        assert_eq!(range(5..5).count(), 0);
        let (after, before) = (6, 5);
        assert_eq!(range(after..=before).count(), 0);
        assert_eq!(range('\u{d7fe}'..='\u{e001}').count(), 4);
        let last = Ipv4Addr::new(10, 0, 1, 1);
        assert_eq!(range(Ipv4Addr::new(10, 0, 0, 254)..=last).last(), Some(last));
        assert_eq!(range(7..).take(3).collect::<Vec<_>>(), [7, 8, 9]);
    }

    #[test]
    #[should_panic(expected = "overflow")]
    fn counters_without_an_end_overflow_as_ranges_do() {
        range(254_u8..).nth(1);
    }
}
