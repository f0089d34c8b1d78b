//! The positions of items found by iterator methods. An item that may be changed is searched once, and accessed by
//! its position after an await.

use std::cmp::Ordering;

/// The position of the first item for which `looks` is true; `usize::MAX` if there is none.
pub fn place_of_find<I: Iterator>(mut items: I, mut looks: impl FnMut(&I::Item) -> bool) -> usize {
    items.position(|item| looks(&item)).unwrap_or(usize::MAX)
}

/// The position of the last item for which `looks` is true.
pub fn place_of_rfind<I: DoubleEndedIterator + ExactSizeIterator>(
    mut items: I,
    mut looks: impl FnMut(&I::Item) -> bool,
) -> usize {
    items.rposition(|item| looks(&item)).unwrap_or(usize::MAX)
}

/// The position of the last item with the greatest key.
pub fn place_of_max_by_key<I: Iterator, K: Ord>(
    items: I,
    mut key: impl FnMut(&I::Item) -> K,
) -> usize {
    place(items.enumerate().max_by_key(|(_, item)| key(item)))
}

/// The position of the first item with the least key.
pub fn place_of_min_by_key<I: Iterator, K: Ord>(
    items: I,
    mut key: impl FnMut(&I::Item) -> K,
) -> usize {
    place(items.enumerate().min_by_key(|(_, item)| key(item)))
}

/// The position of the last greatest item by `compare`.
pub fn place_of_max_by<I: Iterator>(
    items: I,
    mut compare: impl FnMut(&I::Item, &I::Item) -> Ordering,
) -> usize {
    place(items.enumerate().max_by(|(_, one), (_, other)| compare(one, other)))
}

/// The position of the first least item by `compare`.
pub fn place_of_min_by<I: Iterator>(
    items: I,
    mut compare: impl FnMut(&I::Item, &I::Item) -> Ordering,
) -> usize {
    place(items.enumerate().min_by(|(_, one), (_, other)| compare(one, other)))
}

/// The position of the last greatest item.
pub fn place_of_max<I: Iterator<Item: Ord>>(items: I) -> usize {
    place_of_max_by(items, Ord::cmp)
}

/// The position of the first least item.
pub fn place_of_min<I: Iterator<Item: Ord>>(items: I) -> usize {
    place_of_min_by(items, Ord::cmp)
}

fn place<T>(found: Option<(usize, T)>) -> usize {
    found.map_or(usize::MAX, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_what_iterators_find() {
        let items = [3_i64, -5, 5, -3, 5, -5];
        let at = |place: usize| items.get(place);
        assert_eq!(at(place_of_find(items.iter(), |item| **item < 0)), Some(&-5));
        assert_eq!(place_of_find(items.iter(), |item| **item == 7), usize::MAX);
        assert_eq!(place_of_rfind(items.iter(), |item| **item == 5), 4);
        assert_eq!(place_of_rfind(items.iter().rev(), |item| **item == 5), 3);
        assert_eq!(place_of_rfind(items.iter(), |item| **item == 7), usize::MAX);
        assert_eq!(place_of_max_by_key(items.iter(), |item| item.abs()), 5);
        assert_eq!(place_of_min_by_key(items.iter(), |item| item.abs()), 0);
        assert_eq!(place_of_max_by(items.iter(), |a, b| a.cmp(b)), 4);
        assert_eq!(place_of_min_by(items.iter(), |a, b| a.cmp(b)), 1);
        assert_eq!(place_of_max(items.iter()), 4);
        assert_eq!(place_of_min(items.iter()), 1);
        assert_eq!(at(place_of_max(items[..0].iter())), None);
    }
}
