//! Locals, and operations in them, that may have exchanged their names.

use super::names::{base, initializer, is_about_code, variable};
use super::{StoredLocal, StoredState};
use crate::model::{Difference, Place};

/// Checks that no local has the binding code of another saved local which is bound in another way now: the two may have
/// exchanged their names.
pub(super) fn check_exchange(
    saved: &StoredState,
    found: &StoredState,
    local: &StoredLocal,
    old: &StoredLocal,
) -> Result<(), Difference> {
    let place = local.place;
    let is_bound_alike = place.fingerprint == old.place.fingerprint;
    let is_unchanged = is_bound_alike && (place.others == 0 || place.others == old.place.others);
    if place.fingerprint == 0 || is_unchanged || is_about_code(&local.name) {
        return Ok(());
    }
    // In `let from = from.trim();`, what tells the local from another one binds the first `from`.
    let hash = |place: Place| if is_bound_alike { place.others } else { place.fingerprint };
    let own = name(local);
    let before = saved.locals.iter().map(|old| (name(old), hash(old.place)));
    exchanged(own, hash(place), before, |other| {
        let mut others = found.locals.iter().filter(|now| name(now) != own);
        others.any(|now| {
            let is_it = name(now) == other || now.formerly.iter().any(|former| former == other);
            is_it && hash(now.place) == hash(place)
        })
    })
}

fn name(local: &StoredLocal) -> &str {
    base(variable(&local.name).0)
}

/// The finding if something of another name had this hash, and has it no longer.
fn exchanged<'a>(
    name: &str,
    hash: u32,
    mut before: impl Iterator<Item = (&'a str, u32)>,
    is_kept: impl Fn(&str) -> bool,
) -> Result<(), Difference> {
    let is_it = |(other, had): &(&str, u32)| *had == hash && *other != name && !is_kept(other);
    match before.find(is_it) {
        Some((other, _)) => {
            Err(Difference::ExchangedLocal { local: name.to_owned(), other: other.to_owned() })
        }
        None => Ok(()),
    }
}

/// Checks that the value which a pattern takes apart does not consist of the same tokens in another order: its parts may
/// have changed places.
pub(super) fn check_pattern(old: &StoredLocal, local: &StoredLocal) -> Result<(), Difference> {
    let is_reordered = local.unordered != 0
        && local.unordered == old.unordered
        && initializer(local) != initializer(old);
    match is_reordered {
        true => Err(Difference::ReorderedValue { local: local.name.clone() }),
        false => Ok(()),
    }
}

/// Checks that the local which holds the operation of an await is not bound now as that of another await was: the two may
/// have exchanged their names. The lists are those of all awaits, or all branches, with which it might be exchanged.
pub(super) fn check_holder<'a>(
    before: impl Iterator<Item = (&'a str, Place)>,
    now: impl Iterator<Item = (&'a str, Place)> + Clone,
    (name, saved): (&str, Place),
    found: Place,
) -> Result<(), Difference> {
    if saved.others == 0 || found.others == 0 || saved.others == found.others {
        return Ok(());
    }
    let before = before.map(|(other, place)| (base(other), place.others));
    exchanged(base(name), found.others, before, |other| {
        now.clone().any(|(now, place)| base(now) == other && place.others == found.others)
    })
}
