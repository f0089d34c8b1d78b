//! Matching the names of states, branches and locals, and deciding which locals are certainly the same.

use std::borrow::Cow;

use super::StoredLocal;
use super::alignment::is_certain;

/// Whether a local says something about code of the workflow, of which it has no use if that has changed: the number of
/// an item or of a branch.
pub(super) fn is_about_code(local: &str) -> bool {
    ["position of ", "branch of "].iter().any(|prefix| local.starts_with(prefix))
}

/// A name without the number that tells equal names apart: `charge` of `charge#2`.
pub(super) fn base(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((base, number))
            if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            base
        }
        _ => name,
    }
}

/// The name that a local, or a part of one, has in the source, without a number: `plan.cents` of `plan#2.cents`.
pub(crate) fn source_name(local: &str) -> Cow<'_, str> {
    let (root, rest) = local.split_at(local.find('.').unwrap_or(local.len()));
    match base(root) {
        name if name.len() == root.len() => Cow::Borrowed(local),
        name => Cow::Owned(format!("{name}{rest}")),
    }
}

/// Finds the local that a user's text names: the one stored under this name, or else the only one with this name in the
/// source.
pub(crate) fn written<'l>(
    name: &str,
    locals: impl Iterator<Item = &'l str> + Clone,
) -> Option<usize> {
    let stored = locals.clone().position(|local| local == name);
    stored.or_else(|| {
        let mut called = locals.enumerate().filter(|(_, local)| source_name(local) == name);
        called.next().filter(|_| called.next().is_none()).map(|(number, _)| number)
    })
}

/// Splits the name of a local or of a part of one: the variable, and the fields that lead to the part.
pub(super) fn variable(local: &str) -> (&str, Vec<&str>) {
    let is_field =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut parts = local.split('.');
    let variable = parts.next().unwrap_or_default();
    let fields: Vec<_> = parts.collect();
    match fields.iter().all(|field| is_field(field)) {
        true => (variable, fields),
        false => (local, Vec::new()),
    }
}

/// The hash of the code that binds a local, if it is known.
pub(super) fn initializer(local: &StoredLocal) -> Option<u32> {
    match local.place.fingerprint {
        0 => local.initializers.get(local.place.index.checked_sub(1)? as usize).copied(),
        fingerprint => Some(fingerprint),
    }
}

/// Whether a local before is certain to be the one of its name now. It is if no initializer of this name but its own has
/// changed.
pub(super) fn is_same_binding(before: &StoredLocal, now: &StoredLocal) -> bool {
    let (old, new) = (before.place, now.place);
    if old.count == 1 && new.count == 1 || old.others != 0 && old.others == new.others {
        return true;
    }
    match (old.fingerprint, new.fingerprint) {
        // Other bindings of this name have the same initializer, or the initializers are not known.
        (0, 0) => {
            let (before, now) = (&before.initializers, &now.initializers);
            (old.index, old.count) == (new.index, new.count)
                && before.is_empty() == now.is_empty()
                && (now.is_empty() || is_certain(&renamed(before, now), now, new.index))
        }
        (old, new) => old == new,
    }
}

/// The initializers before, where each that is gone counts as the new one that has exactly its places: the two arms of
/// an `if` may be changed alike.
fn renamed(before: &[u32], now: &[u32]) -> Vec<u32> {
    let is_changed = |index: usize| {
        let (old, new) = (before[index], now[index]);
        let is_replaced = |(before, now): (&u32, &u32)| (*before == old) == (*now == new);
        !now.contains(&old) && !before.contains(&new) && before.iter().zip(now).all(is_replaced)
    };
    let indexes = 0..before.len().min(now.len());
    indexes.map(|index| if is_changed(index) { now[index] } else { before[index] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    #[test]
    fn a_local_is_found_by_the_name_that_the_source_has() {
        let find = |name, locals: &[&'static str]| written(name, locals.iter().copied());
        assert_eq!(find("plan", &["paid", "plan#2"]), Some(1));
        assert_eq!(find("plan.cents", &["plan#2.name", "plan#2.cents"]), Some(1));
        assert_eq!(find("plan", &["plan#2", "plan"]), Some(1), "it is stored so");
        assert_eq!(find("plan", &["plan#2", "plan#3"]), None, "there are two");
        assert_eq!(find("plan#2", &["plan#2", "plan#3"]), Some(0));
        assert_eq!(find("plan", &["plans", "plan#2.cents"]), None);
    }

    /// A local that is the `index`th binding of its name, of which these are the hashes of the initializers.
    fn binding(index: usize, initializers: &[u32]) -> StoredLocal {
        let own = initializers[index - 1];
        let is_only = initializers.iter().filter(|other| **other == own).count() == 1;
        let others = initializers.iter().enumerate().filter(|(other, _)| *other != index - 1);
        let others = others.fold(index as u32, |hash, (_, it)| hash.wrapping_mul(31) + it);
        let listed = if is_only { Vec::new() } else { initializers.to_vec() };
        StoredLocal {
            name: "total".to_owned(),
            formerly: Vec::new(),
            ty: None,
            fields: None,
            schema: crate::model::SchemaHash(0),
            place: Place {
                index: index as u32,
                count: initializers.len() as u32,
                fingerprint: if is_only { own } else { 0 },
                others: if initializers.len() == 1 { 0 } else { others },
                operation: 0,
            },
            initializers: listed,
            used_by: 0,
            unordered: 0,
            redacted: false,
            exposed: false,
            handles: Vec::new(),
        }
    }

    #[test]
    fn bindings_that_may_have_changed_places_are_not_the_same() {
        let same = |before: &[u32], now: &[u32]| -> Vec<bool> {
            let indexes = 1..=before.len();
            indexes
                .map(|index| is_same_binding(&binding(index, before), &binding(index, now)))
                .collect()
        };
        assert_eq!(same(&[1], &[2]), [true]);
        assert_eq!(same(&[1, 2], &[1, 3]), [true, true]);
        assert_eq!(same(&[1, 2], &[2, 1]), [false, false]);
        assert_eq!(same(&[1, 1], &[2, 2]), [true, true], "both are changed alike");
        assert_eq!(same(&[1, 1, 4], &[2, 2, 4]), [true, true, true]);
        assert_eq!(same(&[1, 1, 5, 5], &[1, 1, 6, 6]), [true, true, true, true]);
        assert_eq!(same(&[1, 1, 5, 5], &[5, 5, 1, 1]), [false; 4], "they are exchanged in pairs");
        assert_eq!(same(&[1, 1, 5, 5], &[5, 5, 6, 6]), [false; 4], "a pair moves");
        assert_eq!(same(&[1, 1, 5, 5], &[1, 5, 5, 1]), [false; 4], "which of two moves");
        assert_eq!(same(&[1, 1, 5, 5], &[1, 5, 5, 5]), [false, true, false, false]);
        assert_eq!(same(&[1, 1], &[1, 1]), [true, true]);
    }

    #[test]
    fn locals_are_taken_apart() {
        assert_eq!(variable("order"), ("order", vec![]));
        assert_eq!(variable("order#2.lines.0"), ("order#2", vec!["lines", "0"]));
        assert_eq!(variable("rest of a.b()"), ("rest of a.b()", vec![]));
        assert_eq!((base("charge#2"), base("charge")), ("charge", "charge"));
    }
}
