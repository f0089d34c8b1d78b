//! Small sets.
//!
//! The passes create, join and drop hundreds of such sets for each function. Sorted lists cost a fraction of the
//! standard library's sets, especially without optimization, which is how cargo compiles macros.

use std::cmp::Ordering;
use std::ops::{BitAnd, BitOr, Sub};

/// A set as a sorted list.
#[derive(PartialEq, Eq)]
pub(crate) struct Set<T>(Vec<T>);

impl<T> Set<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values in order.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&T) -> bool) {
        self.0.retain(is_kept);
    }
}

impl<T: Ord> Set<T> {
    pub(crate) fn contains(&self, value: &T) -> bool {
        !self.is_empty() && self.0.binary_search(value).is_ok()
    }

    /// Inserts a value, and returns whether it is new.
    pub(crate) fn insert(&mut self, value: T) -> bool {
        // Most values are inserted in order.
        if let Some(last) = self.0.last() {
            match last.cmp(&value) {
                Ordering::Less => {}
                Ordering::Equal => return false,
                Ordering::Greater => return self.insert_before_last(value),
            }
        }
        self.0.push(value);
        true
    }

    fn insert_before_last(&mut self, value: T) -> bool {
        match self.0.binary_search(&value) {
            Ok(_) => false,
            Err(index) => {
                self.0.insert(index, value);
                true
            }
        }
    }

    /// Removes a value, and returns whether it was in the set.
    pub(crate) fn remove(&mut self, value: &T) -> bool {
        let found = self.0.binary_search(value);
        found.is_ok_and(|index| {
            self.0.remove(index);
            true
        })
    }

    /// The values in both sets.
    pub(crate) fn intersection<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.iter().filter(|value| other.contains(value))
    }

    /// The values that are not in `other`.
    pub(crate) fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> {
        self.iter().filter(|value| !other.contains(value))
    }

    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|value| other.contains(value))
    }
}

impl<T: Ord + Clone> Set<T> {
    /// Inserts the values of another set.
    pub(crate) fn add(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for value in other {
            if !self.contains(value) {
                self.insert(value.clone());
            }
        }
    }
}

impl<T: Clone> Clone for Set<T> {
    fn clone(&self) -> Self {
        // Most sets are empty.
        if self.is_empty() { Self::new() } else { Self(self.0.clone()) }
    }
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(&self.0).finish()
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for Set<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, values: I) {
        for value in values {
            self.insert(*value);
        }
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut set = Self::new();
        set.extend(values);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for Set<T> {
    fn from(values: [T; N]) -> Self {
        values.into_iter().collect()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Ord + Clone> BitAnd for &Set<T> {
    type Output = Set<T>;

    fn bitand(self, other: Self) -> Set<T> {
        Set(self.intersection(other).cloned().collect())
    }
}

impl<T: Ord + Clone> BitOr for &Set<T> {
    type Output = Set<T>;

    fn bitor(self, other: Self) -> Set<T> {
        let mut both = self.clone();
        both.add(other);
        both
    }
}

impl<T: Ord + Clone> Sub for &Set<T> {
    type Output = Set<T>;

    fn sub(self, other: Self) -> Set<T> {
        let mut left = Set::new();
        let (mut at, others) = (0, other.0.as_slice());
        for value in self {
            while at < others.len() && matches!(others[at].cmp(value), Ordering::Less) {
                at += 1;
            }
            if at == others.len() || others[at] != *value {
                left.0.push(value.clone());
            }
        }
        left
    }
}
