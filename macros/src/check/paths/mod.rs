//! The functions, types and macros that a workflow must not use, by path.

mod list;

pub(super) use self::list::ACTIVITY;
use super::paths::list::{MACROS, PATHS};
use crate::diagnostics::rules::Rule;

/// A refusal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused {
    pub(super) rule: Rule,
    /// The predicate of the message, after the name.
    pub(super) what: &'static str,
    pub(super) help: &'static str,
}

/// Paths that share a message. `a::*` matches every function below `a`, `a::_` those directly in it.
struct Group {
    paths: &'static [&'static str],
    refused: Refused,
}

/// The refusal of a full path, if there is one.
pub(super) fn find(path: &[String]) -> Option<Refused> {
    // No function is refused by its name alone, and most one-segment paths are locals.
    if path.len() == 1 { None } else { find_in(PATHS, path) }
}

/// As [`find`], for the name of a macro.
pub(super) fn find_macro(path: &[String]) -> Option<Refused> {
    find_in(MACROS, path)
}

fn find_in(groups: &[Group], path: &[String]) -> Option<Refused> {
    // Every pattern starts with a name, and few paths share its first letter. The macro is built without optimization:
    // matching all patterns took a tenth of the time of a small workflow.
    let first = *path.first()?.as_bytes().first()?;
    let is_in = |group: &&Group| {
        group.paths.iter().any(|pattern| pattern.as_bytes()[0] == first && matches(pattern, path))
    };
    Some(groups.iter().find(is_in)?.refused)
}

fn matches(pattern: &str, path: &[String]) -> bool {
    // A capitalized last segment is a variant or an associated constant of a type with the module's name.
    let is_open = pattern.ends_with(['*', '_']);
    if is_open && path.last().is_some_and(|last| last.starts_with(char::is_uppercase)) {
        return false;
    }
    let mut path = path.iter();
    for segment in pattern.split("::") {
        match (segment, path.next()) {
            ("*", Some(_)) => return true,
            (_, None) => return false,
            ("_", Some(_)) => {}
            (segment, Some(found)) if segment == found => {}
            _ => return false,
        }
    }
    path.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: &str) -> Option<&'static str> {
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        find(&path).map(|refused| refused.rule.name())
    }

    #[test]
    fn no_function_is_refused_by_its_name_alone() {
        let mut paths = PATHS.iter().flat_map(|group| group.paths);
        assert!(paths.all(|path| path.contains("::")));
    }

    #[test]
    fn the_most_exact_group_counts() {
        assert_eq!(rule("std::thread::sleep"), Some("threads"));
        assert_eq!(rule("std::thread::available_parallelism"), Some("environment"));
        assert_eq!(rule("fastrand::u32"), Some("random"));
        assert_eq!(rule("fastrand::Rng::with_seed"), None);
        assert_eq!(rule("reqwest::StatusCode::OK"), None);
        assert_eq!(rule("std::fs"), None);
        assert_eq!(rule("std::fs::File::open"), Some("files"));
        assert_eq!(rule("rand::rngs::StdRng::seed_from_u64"), None);
        assert_eq!(rule("rand::rngs::StdRng::from_os_rng"), Some("random"));
        assert_eq!(rule("std::process::Command::new"), Some("processes"));
        assert_eq!(rule("std::process::Command::Start"), None);
    }
}
