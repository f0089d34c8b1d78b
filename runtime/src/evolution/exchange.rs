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
    let name = |local: &StoredLocal| base(variable(&local.name).0).to_owned();
    let local_name = name(local);
    // In `let from = from.trim();`, what tells the local from another one binds the first `from`.
    let is_bound_so = |other: &&StoredLocal| match is_bound_alike {
        true => other.place.others == place.others,
        false => other.place.fingerprint == place.fingerprint,
    };
    let is_gone = |other: &String| {
        let is_it = |now: &StoredLocal| name(now) == *other || now.formerly.contains(other);
        let mut others = found.locals.iter().filter(|now| name(now) != local_name);
        *other != local_name && !others.any(|now| is_bound_so(&now) && is_it(now))
    };
    match saved.locals.iter().filter(is_bound_so).map(name).find(is_gone) {
        Some(other) => Err(Difference::ExchangedLocal { local: local_name, other }),
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
    mut before: impl Iterator<Item = (&'a str, Place)>,
    now: impl Iterator<Item = (&'a str, Place)> + Clone,
    (name, saved): (&str, Place),
    found: Place,
) -> Result<(), Difference> {
    if saved.others == 0 || found.others == 0 || saved.others == found.others {
        return Ok(());
    }
    let is_gone = |other: &str| {
        !now.clone().any(|(now, place)| base(now) == other && place.others == found.others)
    };
    let exchanged = before.find_map(|(other, place)| {
        let is_it =
            place.others == found.others && base(other) != base(name) && is_gone(base(other));
        is_it.then(|| base(other).to_owned())
    });
    match exchanged {
        Some(other) => Err(Difference::ExchangedLocal { local: base(name).to_owned(), other }),
        None => Ok(()),
    }
}
