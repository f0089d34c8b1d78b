//! Maps and sets by name.
//!
//! Each name of a function is looked up many times, and hashing would dominate the cost, especially without
//! optimization, which is how cargo compiles macros. So these are sorted lists, shorter names first, because most
//! names differ in length.

use std::cmp::Ordering;

/// A map by name.
#[derive(Clone, Debug)]
pub(crate) struct NameMap<T>(Vec<(String, T)>);

impl<T> NameMap<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        match self.position(name) {
            Ok(index) => Some(&self.0[index].1),
            Err(_) => None,
        }
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        match self.position(name) {
            Ok(index) => Some(&mut self.0[index].1),
            Err(_) => None,
        }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// Inserts or replaces a value.
    pub(crate) fn insert(&mut self, name: String, value: T) {
        match self.position(&name) {
            Ok(index) => self.0[index].1 = value,
            Err(index) => self.0.insert(index, (name, value)),
        }
    }

    /// The value of a name. Inserts `value` if there is none.
    pub(crate) fn get_or_insert(&mut self, name: String, value: T) -> &mut T {
        let index = match self.position(&name) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, (name, value));
                index
            }
        };
        &mut self.0[index].1
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<T> {
        match self.position(name) {
            Ok(index) => Some(self.0.remove(index).1),
            Err(_) => None,
        }
    }

    pub(crate) fn into_names(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(name, _)| name)
    }

    /// The position of a name, or where to insert it.
    fn position(&self, name: &str) -> Result<usize, usize> {
        let (mut from, mut to) = (0, self.0.len());
        while from < to {
            let middle = (from + to) / 2;
            let known = self.0[middle].0.as_str();
            let order = match known.len().cmp(&name.len()) {
                Ordering::Equal => known.cmp(name),
                order => order,
            };
            match order {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => to = middle,
            }
        }
        Err(from)
    }
}

impl<T> Default for NameMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Extend<(String, T)> for NameMap<T> {
    fn extend<I: IntoIterator<Item = (String, T)>>(&mut self, values: I) {
        for (name, value) in values {
            self.insert(name, value);
        }
    }
}

impl<T> IntoIterator for NameMap<T> {
    type Item = (String, T);
    type IntoIter = std::vec::IntoIter<(String, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A set of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameSet(NameMap<()>);

impl NameSet {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Inserts a name, and returns whether it is new.
    pub(crate) fn insert(&mut self, name: String) -> bool {
        let position = self.0.position(&name);
        if let Err(index) = position {
            self.0.0.insert(index, (name, ()));
        }
        position.is_err()
    }

    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        self.0.0.iter().all(|(name, ())| !other.contains(name))
    }
}

impl Extend<String> for NameSet {
    fn extend<I: IntoIterator<Item = String>>(&mut self, names: I) {
        for name in names {
            self.insert(name);
        }
    }
}

impl FromIterator<String> for NameSet {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut set = Self::default();
        set.extend(names);
        set
    }
}

impl IntoIterator for NameSet {
    type Item = String;
    type IntoIter = std::vec::IntoIter<String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_names().collect::<Vec<_>>().into_iter()
    }
}
