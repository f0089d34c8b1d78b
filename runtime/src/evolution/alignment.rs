//! Deciding which of several awaits, branches or locals of one name are certainly the same before and after an edit.

use std::collections::HashSet;

use crate::model::Place;

/// Whether the `index`th await or branch (from 1) is certainly the same before and now: by the texts of all that share its
/// name, or by their operations if these are all different. An edit of the text that leaves the operations as they are
/// renames a variable, adds an option, or writes the path of the function in another way.
pub(super) fn is_certain_await(before: &[Place], now: &[Place], index: u32) -> bool {
    let by = |hash: fn(&Place) -> u32| {
        let (before, now) = (before.iter().map(hash), now.iter().map(hash));
        is_certain(&before.collect::<Vec<_>>(), &now.collect::<Vec<_>>(), index)
    };
    by(|place| place.fingerprint)
        || has_other_operations(before) && has_other_operations(now) && by(|place| place.operation)
}

/// Whether each has an operation of its own.
fn has_other_operations(places: &[Place]) -> bool {
    let operations: HashSet<_> = places.iter().map(|place| place.operation).collect();
    operations.len() == places.len() && !operations.contains(&0)
}

/// Whether the `index`th await, branch or local (from 1) is certainly the same before and now. The hashes are those of the
/// texts of all that share its name, in source order. Any longest common subsequence may be
/// the edit, so it must have the same place in all of them. The only one whose text has changed is certain, too, if those
/// around it are.
pub(super) fn is_certain(before: &[u32], now: &[u32], index: u32) -> bool {
    if before.len() != now.len() {
        return false;
    }
    if before.len() == 1 {
        return true;
    }
    let alignment = Alignment::of(before, now);
    let place = index as usize - 1;
    if alignment.keeps(place) {
        return true;
    }
    let others = (0..before.len()).filter(|other| *other != place);
    others.into_iter().all(|other| alignment.keeps(other))
}

/// The ways to pair the texts of awaits before and now: equal texts, in the same order, as many as possible.
struct Alignment<'a> {
    before: &'a [u32],
    now: &'a [u32],
    /// The most pairs among the first so many of each.
    ahead: Vec<Vec<usize>>,
    /// The most pairs among those from these numbers on.
    behind: Vec<Vec<usize>>,
}

impl<'a> Alignment<'a> {
    fn of(before: &'a [u32], now: &'a [u32]) -> Self {
        let empty = || vec![vec![0; now.len() + 1]; before.len() + 1];
        let (mut ahead, mut behind) = (empty(), empty());
        let is_equal = |old: usize, new: usize| before[old] == now[new];
        for old in 0..before.len() {
            for new in 0..now.len() {
                ahead[old + 1][new + 1] = match is_equal(old, new) {
                    true => ahead[old][new] + 1,
                    false => ahead[old][new + 1].max(ahead[old + 1][new]),
                };
            }
        }
        for old in (0..before.len()).rev() {
            for new in (0..now.len()).rev() {
                behind[old][new] = match is_equal(old, new) {
                    true => behind[old + 1][new + 1] + 1,
                    false => behind[old][new + 1].max(behind[old + 1][new]),
                };
            }
        }
        Self { before, now, ahead, behind }
    }

    /// Whether the one at this place, from 0, is paired with the one at the same place in every way.
    fn keeps(&self, place: usize) -> bool {
        let most = self.behind[0][0];
        let may_be = |new: usize| {
            self.before[place] == self.now[new]
                && self.ahead[place][new] + 1 + self.behind[place + 1][new + 1] == most
        };
        let may_be_gone = (0..=self.now.len())
            .any(|new| self.ahead[place][new] + self.behind[place + 1][new] == most);
        !may_be_gone && (0..self.now.len()).all(|new| may_be(new) == (new == place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awaits_that_may_have_changed_places_are_not_certain() {
        assert!(is_certain(&[1], &[2], 1), "the only one, changed");
        assert!(is_certain(&[1, 2], &[1, 2], 2));
        assert!(is_certain(&[1, 2], &[1, 3], 2), "one has changed");
        assert!(!is_certain(&[1, 2], &[2, 1], 1), "swapped");
        assert!(!is_certain(&[1], &[1, 2], 1), "one more");
        assert!(!is_certain(&[1, 2], &[1], 1), "one less");
        assert!(is_certain(&[1, 2, 3], &[1, 3, 2], 1), "the others are swapped");
        assert!(!is_certain(&[1, 1, 5], &[1, 5, 5], 1), "which of two is left");
        assert!(!is_certain(&[1, 1, 5], &[1, 5, 5], 2), "it may be the first one now");
        assert!(!is_certain(&[1, 1, 5], &[1, 5, 5], 3), "which of two it is now");
        assert!(!is_certain(&[1, 1], &[1, 2], 2), "the first one may be gone");
        assert!(is_certain(&[1, 1, 5], &[1, 1, 6], 1), "both are left");
        assert!(is_certain(&[1, 1, 5], &[1, 1, 6], 3), "the only one that has changed");
        assert!(is_certain(&[1, 2, 1], &[1, 3, 1], 2), "the only one that has changed");
        assert!(!is_certain(&[1, 2, 3, 4, 5], &[1, 6, 3, 7, 5], 2), "two have changed");
        assert!(
            is_certain(&[1, 2, 3, 4, 5], &[1, 6, 3, 7, 5], 3),
            "it is between two that have changed"
        );
        assert!(is_certain(&[1, 1], &[1, 1], 2), "nothing has changed");
    }

    /// Every way to pair equal texts in the same order: the number of the present one for each of before.
    fn pairings(before: &[u32], now: &[u32], from: usize) -> Vec<Vec<Option<usize>>> {
        let Some((text, rest)) = before.split_first() else { return vec![Vec::new()] };
        let follow = |first: Option<usize>, from: usize| {
            let rest = pairings(rest, now, from);
            rest.into_iter().map(move |rest| std::iter::once(first).chain(rest).collect())
        };
        let equal = (from..now.len()).filter(|new| now[*new] == *text);
        let paired = equal.flat_map(|new| follow(Some(new), new + 1));
        follow(None, from).chain(paired).collect()
    }

    /// Whether all pairings with the fewest unpaired texts leave this one, or all others, in their places.
    fn is_unanimous(before: &[u32], now: &[u32], place: usize) -> bool {
        let all = pairings(before, now, 0);
        let pairs = |pairing: &Vec<Option<usize>>| pairing.iter().flatten().count();
        let most = all.iter().map(pairs).max();
        let best = || all.iter().filter(|pairing| Some(pairs(pairing)) == most);
        let keeps = |place: usize| best().all(|pairing| pairing[place] == Some(place));
        before.len() == 1
            || keeps(place)
            || (0..before.len()).filter(|other| *other != place).all(keeps)
    }

    fn agrees(before: &[u32], now: &[u32]) {
        for (place, index) in (1..).enumerate().take(before.len()) {
            let certain = is_certain(before, now, index);
            assert_eq!(
                certain,
                is_unanimous(before, now, place),
                "{index} of {before:?} in {now:?}"
            );
        }
    }

    #[test]
    fn what_is_certain_is_so_by_every_smallest_edit() {
        let texts = |length: u32| {
            (0..3_u32.pow(length)).map(move |number| {
                (0..length).map(|place| 1 + number / 3_u32.pow(place) % 3).collect::<Vec<_>>()
            })
        };
        for length in 1..=4 {
            for before in texts(length) {
                texts(length).for_each(|now| agrees(&before, &now));
            }
        }
    }

    /// Longer lists, in which some texts move, change, come and go.
    #[test]
    fn what_is_certain_after_random_edits_is_so_by_every_smallest_one() {
        let mut state = 40_u64;
        let mut below = |end: usize| {
            // Knuth's generator, of which the high bits are good.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end
        };
        for _ in 0..400 {
            let length = 5 + below(3);
            let before: Vec<u32> = (0..length).map(|_| 1 + below(5) as u32).collect();
            let mut now = before.clone();
            for _ in 0..=below(3) {
                let (from, to, text) = (below(length), below(length), 1 + below(7) as u32);
                match below(3) {
                    0 => now[from] = text,
                    1 => now.swap(from, to),
                    _ => {
                        let moved = now.remove(from);
                        now.insert(to, if text < 4 { moved } else { text });
                    }
                }
            }
            agrees(&before, &now);
        }
    }

    #[test]
    fn a_changed_argument_of_one_of_several_leaves_all_certain() {
        for length in 1..8 {
            let before: Vec<u32> = (1..=length).collect();
            for changed in 0..length as usize {
                let mut now = before.clone();
                now[changed] = 99;
                for index in 1..=length {
                    assert!(is_certain(&before, &now, index), "{before:?} {now:?}");
                }
            }
        }
    }
}
