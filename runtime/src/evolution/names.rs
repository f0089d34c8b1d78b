//! Matching the names of states, branches and locals, and deciding which locals are certainly the same.

use std::borrow::Cow;

use crate::model::Place;

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

/// Whether a binding of some name before is certain to be the one at this place now. If the source of none but this one
/// has changed, it is.
pub(super) fn is_same_binding(before: Place, now: Place) -> bool {
    if before.count == 1 && now.count == 1 {
        return true;
    }
    let is_alone_changed = before.others != 0 && before.others == now.others;
    match (before.fingerprint, now.fingerprint) {
        // Other bindings of this name have the same initializer, or the initializers are not known.
        (0, 0) => (before.index, before.count) == (now.index, now.count),
        (before, now) => before == now || is_alone_changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn locals_are_taken_apart() {
        assert_eq!(variable("order"), ("order", vec![]));
        assert_eq!(variable("order#2.lines.0"), ("order#2", vec!["lines", "0"]));
        assert_eq!(variable("rest of a.b()"), ("rest of a.b()", vec![]));
        assert_eq!((base("charge#2"), base("charge")), ("charge", "charge"));
    }
}
