//! The plan that maps the parts of a saved state to the current code.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::alignment::is_certain_await;
use super::exchange::{check_exchange, check_holder, check_pattern};
use super::loops::check_nesting;
use super::names::{base, initializer, is_about_code, is_same_binding, variable};
use super::narrow::Narrowed;
use super::order::keeps_order;
use super::{
    StoredAwaited, StoredBorrow, StoredBranch, StoredDefinition, StoredLocal, StoredState,
};
use crate::codec::{Content, Fields, Format, NamedType};
use crate::model::{DefinitionHash, Difference, Finding, Place};

/// The target of each part of a saved state.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// The number of the current state.
    pub(super) state: u32,
    /// The source of each local of the current state.
    pub(super) locals: Vec<Source>,
    /// The saved branch of each current branch. Empty if there are no branches.
    pub(super) branches: Vec<usize>,
    /// Set if a `#[migrate]` cancels some branches.
    pub(super) narrowed: Option<Narrowed>,
}

impl Plan {
    /// The current state.
    pub(crate) fn state_in<'a>(&self, now: &'a StoredDefinition) -> &'a StoredState {
        &now.states[self.state as usize]
    }

    /// The current branch of a saved one.
    pub(crate) fn branch_now(&self, saved: usize) -> Option<usize> {
        self.branches.iter().position(|before| *before == saved)
    }

    /// The saved locals that are read as another type: the number of each, the fields that lead to the part, and the
    /// number of the current local. Leaves out locals that are assembled from parts.
    pub(crate) fn read_anew(&self) -> impl Iterator<Item = (usize, &[String], usize)> {
        self.locals.iter().enumerate().filter_map(|(local, source)| match source {
            Source::Part(old, path) => Some((*old, &path[..], local)),
            Source::Same(_) | Source::Parts(_) => None,
        })
    }
}

/// The source of a current local. Numbers are those of saved locals.
#[derive(Debug, PartialEq)]
pub(super) enum Source {
    /// A saved local, unchanged.
    Same(usize),
    /// A saved local of another type, or the part of it at the path of these fields.
    Part(usize, Vec<String>),
    /// Saved parts of the local, each with its path of fields.
    Parts(Vec<(Vec<String>, usize)>),
}

type Planned = Result<Arc<Plan>, Finding>;
type Key = (DefinitionHash, DefinitionHash, u32, Option<Inside>);

/// The prefixes of the names of an `async` block's states, before and now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Inside {
    pub(super) before: String,
    pub(super) now: String,
}

impl Inside {
    /// The saved branch with this number, and the current branch that continues it.
    pub(crate) fn of(before: (&StoredState, usize), now: (&StoredState, usize)) -> Self {
        let prefix = |(state, branch): (&StoredState, usize)| prefix(&state.name, branch);
        Self { before: prefix(before), now: prefix(now) }
    }
}

/// The prefix of the names of the states in a branch.
pub(super) fn prefix(state: &str, branch: usize) -> String {
    format!("{state}.{branch}.")
}

/// Plans how the state with this number continues in the current code. `inside` is set for a state of an `async` block
/// in a branch.
///
/// # Errors
/// The [`Finding`] if it cannot continue, or if the match is not certain.
#[expect(clippy::result_large_err, reason = "findings are rare, and off the hot path")]
pub(crate) fn plan(
    before: &StoredDefinition,
    now: &StoredDefinition,
    state: u32,
    inside: Option<&Inside>,
) -> Planned {
    static PLANS: LazyLock<RwLock<HashMap<Key, Planned>>> = LazyLock::new(RwLock::default);
    let key = (before.hash, now.hash, state, inside.cloned());
    // Every operation leaves the map consistent, so a poisoned lock is harmless.
    if let Some(planned) = PLANS.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return planned.clone();
    }
    let planned = make(before, now, state, inside);
    PLANS.write().unwrap_or_else(PoisonError::into_inner).insert(key, planned.clone());
    planned
}

#[expect(clippy::result_large_err, reason = "as for a plan")]
fn make(
    before: &StoredDefinition,
    now: &StoredDefinition,
    state: u32,
    inside: Option<&Inside>,
) -> Planned {
    let saved = &before.states[state as usize];
    let unfit = |found, difference| finding(now, saved, found, difference);
    if before.version != now.version {
        let difference = Difference::OtherVersion { before: before.version, now: now.version };
        return Err(unfit(None, difference));
    }
    let found = find_state(before, now, saved, inside);
    let (number, found) = found.map_err(|difference| unfit(None, difference))?;
    let goes_on = || {
        check_operation(saved, found)?;
        check_holder(states(before), states(now), (&saved.name, saved.place), found.place)?;
        let branches = match_branches(&saved.branches, &found.branches)?;
        let locals = found.locals.iter();
        let locals = locals.map(|local| find_local((before, now), saved, found, local));
        let locals = locals.collect::<Result<_, _>>()?;
        check_nesting(saved, found)?;
        check_borrows(saved, found)?;
        Ok(Plan { state: number, locals, branches, narrowed: None })
    };
    goes_on().map(Arc::new).map_err(|difference| unfit(Some(found), difference))
}

/// The finding about a saved state; `found` is the current state that it matches.
pub(crate) fn finding(
    now: &StoredDefinition,
    saved: &StoredState,
    found: Option<&StoredState>,
    difference: Difference,
) -> Finding {
    Finding {
        workflow: now.workflow.clone(),
        state: saved.name.clone(),
        saved_at: place(saved),
        now_at: found.map(place),
        difference,
    }
}

fn place(state: &StoredState) -> String {
    format!("{}:{}", state.file, state.line)
}

/// Finds the current state of a saved one.
fn find_state<'a>(
    before: &StoredDefinition,
    now: &'a StoredDefinition,
    saved: &StoredState,
    inside: Option<&Inside>,
) -> Result<(u32, &'a StoredState), Difference> {
    let name_now = name_now(&saved.name, inside);
    if let Some(only) = only_await(before, now, saved, &name_now) {
        return Ok(only);
    }
    let found = (0..).zip(&now.states).find(|(_, state)| state.name == name_now);
    let is_numbered = saved.place.count > 1;
    let before = alike(before, &saved.name, is_numbered);
    let now = alike(now, &name_now, is_numbered);
    let ambiguous = || Difference::AmbiguousState {
        name: base(&saved.name).to_owned(),
        before: before.len() as u32,
        now: now.len() as u32,
    };
    match found {
        Some(found) if is_certain_await(&before, &now, saved.place.index) => Ok(found),
        None if now.is_empty() => Err(Difference::MissingState),
        _ => Err(ambiguous()),
    }
}

/// The current state that awaits the operation of the saved one, if it is the only one among the states with the same base
/// name, before and now. All calls of `cx.map` have one name, whatever they call.
fn only_await<'a>(
    before: &StoredDefinition,
    now: &'a StoredDefinition,
    saved: &StoredState,
    name_now: &str,
) -> Option<(u32, &'a StoredState)> {
    let operation = saved.awaited.as_ref().filter(|awaited| awaited.has_name())?;
    let is_it = |state: &StoredState, name: &str| {
        let is_same = state.awaited.as_ref().is_some_and(|awaited| operation.is_same_as(awaited));
        is_same && base(&state.name) == base(name)
    };
    let mut found = (0..).zip(&now.states).filter(|(_, state)| is_it(state, name_now));
    let only = found.next().filter(|_| found.next().is_none());
    only.filter(|_| before.states.iter().filter(|state| is_it(state, &saved.name)).count() == 1)
}

/// The places of the awaits of the states that share this name's base, in the same scope. If `is_numbered`, the name may
/// have lost its number since.
fn alike(definition: &StoredDefinition, name: &str, is_numbered: bool) -> Vec<Place> {
    let is_it = |other: &str| other == name || is_numbered && other == base(name);
    let states = definition.states.iter();
    let states = states.filter(|state| is_it(&state.name) || state.place.count > 1);
    let states = states.filter(|state| base(&state.name) == base(name));
    states.map(|state| state.place).collect()
}

/// The current name of a state if only the number of its branch has changed.
fn name_now(name: &str, inside: Option<&Inside>) -> String {
    let within = inside.and_then(|inside| Some((inside, name.strip_prefix(&inside.before)?)));
    match within {
        Some((inside, rest)) => format!("{}{rest}", inside.now),
        None => name.to_owned(),
    }
}

/// Checks that the current state awaits the operation that the saved one awaited.
pub(super) fn check_operation(saved: &StoredState, found: &StoredState) -> Result<(), Difference> {
    let said = |state: &StoredState| match &state.awaited {
        Some(awaited) => awaited.to_string(),
        None => format!("`{}`", state.name),
    };
    let other = || Difference::OtherOperation { before: said(saved), now: said(found) };
    match (&saved.awaited, &found.awaited) {
        (Some(saved), Some(found)) if !saved.is_same_as(found) => Err(other()),
        (Some(_), None) | (None, Some(_)) => Err(other()),
        _ if saved.kind != found.kind => Err(other()),
        _ => Ok(()),
    }
}

/// Checks that the code of each borrow is unchanged. A borrow that the saved state did not have is made from its saved
/// locals, as in a run that begins in the current code.
fn check_borrows(saved: &StoredState, found: &StoredState) -> Result<(), Difference> {
    let is_other = |now: &&StoredBorrow| {
        let before = saved.borrows.iter().find(|before| before.name == now.name);
        before.is_some_and(|before| before.made_by != now.made_by)
    };
    let mut others = found.borrows.iter().filter(is_other).map(|now| now.name.clone());
    // The borrow of an item follows from the position.
    match others.clone().find(|name| is_about_code(name)) {
        Some(local) => Err(Difference::OtherSource { local }),
        None => others.next().map_or(Ok(()), |local| Err(Difference::OtherBorrow { local })),
    }
}

fn states(definition: &StoredDefinition) -> impl Iterator<Item = (&str, Place)> + Clone {
    definition.states.iter().map(|state| (state.name.as_str(), state.place))
}

fn places(branches: &[StoredBranch]) -> impl Iterator<Item = (&str, Place)> + Clone {
    branches.iter().map(|branch| (branch.name.as_str(), branch.place))
}

/// Which branch before each branch of today was.
pub(super) fn match_branches(
    saved: &[StoredBranch],
    found: &[StoredBranch],
) -> Result<Vec<usize>, Difference> {
    let alike = |branches: &[StoredBranch], name: &str| {
        let branches = branches.iter().filter(|branch| base(&branch.name) == base(name));
        branches.map(|branch| branch.place).collect::<Vec<_>>()
    };
    if let Some(gone) = saved.iter().find(|branch| alike(found, &branch.name).is_empty()) {
        return Err(Difference::MissingBranch { branch: gone.name.clone() });
    }
    let mut matched = Vec::new();
    for branch in found {
        let name = &branch.name;
        let (before, now) = (alike(saved, name), alike(found, name));
        if before.is_empty() {
            return Err(Difference::NewBranch { branch: name.clone() });
        }
        if !is_certain_await(&before, &now, branch.place.index) {
            return Err(Difference::AmbiguousBranch { branch: base(name).to_owned() });
        }
        let is_it = |old: &StoredBranch| {
            base(&old.name) == base(name) && old.place.index == branch.place.index
        };
        let number = saved.iter().position(is_it);
        let number = number.ok_or_else(|| Difference::NewBranch { branch: name.clone() })?;
        let held = (saved[number].name.as_str(), saved[number].place);
        check_holder(places(saved), places(found), held, branch.place)?;
        let (before, now) = (&saved[number].awaited, &branch.awaited);
        let is_same = match (before, now) {
            (Some(before), Some(now)) => before.is_same_as(now),
            (before, now) => before.is_none() && now.is_none(),
        };
        if !is_same {
            let said = |awaited: &Option<super::StoredAwaited>| match awaited {
                Some(awaited) => awaited.to_string(),
                None => "an `async` block".to_owned(),
            };
            return Err(Difference::OtherOperation { before: said(before), now: said(now) });
        }
        matched.push(number);
    }
    Ok(matched)
}

/// Finds the source of a current local.
fn find_local(
    (before, now): (&StoredDefinition, &StoredDefinition),
    saved: &StoredState,
    found: &StoredState,
    local: &StoredLocal,
) -> Result<Source, Difference> {
    let (root, fields) = variable(&local.name);
    let mut parts = Vec::new();
    let mut is_ambiguous = false;
    // The current name comes first: another variable may now have the former name.
    let has_name = |name: &str| saved.locals.iter().any(|old| base(variable(&old.name).0) == name);
    let names = std::iter::once(base(root)).chain(local.formerly.iter().map(String::as_str));
    let name = names.into_iter().find(|name| has_name(name)).unwrap_or(base(root));
    // Two current variables cannot both have the same source.
    let is_claimed = found.locals.iter().any(|other| {
        let other_root = base(variable(&other.name).0);
        let had_name = other.formerly.iter().any(|former| former == name) && !has_name(other_root);
        other_root != base(root) && (other_root == name || had_name)
    });
    if is_claimed && has_name(name) {
        return Err(Difference::AmbiguousLocal { local: name.to_owned() });
    }
    let same_use = same_use(saved, found, local);
    for (number, old) in saved.locals.iter().enumerate() {
        let (old_root, old_fields) = variable(&old.name);
        let is_candidate = same_use.map_or(base(old_root) == name, |same| number == same);
        if !is_candidate {
            continue;
        }
        // Two parts are the same if serde calls them so, whatever Rust does.
        let (old_fields, fields) = match (&old.fields, &local.fields) {
            (Some(old), Some(now)) => (by_serde(old), by_serde(now)),
            _ => (old_fields, fields.clone()),
        };
        if same_use.is_none() && !is_same_binding(old, local) {
            is_ambiguous = true;
            continue;
        }
        if same_use.is_none() && name == base(root) {
            check_exchange(saved, found, local, old)?;
            check_pattern(old, local)?;
            check_temporary(old, local)?;
        }
        check_handles(old, local)?;
        if is_about_code(root) && old.place.fingerprint != local.place.fingerprint {
            return Err(Difference::OtherSource { local: local.name.clone() });
        }
        if old_fields == fields && old.schema == local.schema {
            return Ok(Source::Same(number));
        }
        check_order(before, now, found, old, local)?;
        if fields.starts_with(&old_fields) {
            return Ok(Source::Part(number, names_within(local, &fields, old_fields.len())?));
        }
        if old_fields.starts_with(&fields) {
            parts.push((names_within(old, &old_fields, fields.len())?, number));
        }
    }
    match (parts.is_empty(), is_ambiguous) {
        (false, _) => match missing_part(now, local, &parts) {
            None => Ok(Source::Parts(parts)),
            // A part that was not saved must not silently become a default.
            Some(part) => Err(Difference::MissingPart { local: local.name.clone(), part }),
        },
        (true, true) => Err(Difference::AmbiguousLocal { local: base(root).to_owned() }),
        (true, false) => {
            let is_kept = |old: &&StoredLocal| found.locals.iter().any(|new| new.name == old.name);
            let unused = saved.locals.iter().filter(|old| !is_kept(old));
            Err(Difference::MissingLocal {
                local: local.name.clone(),
                unused: unused.map(|old| old.name.clone()).collect(),
            })
        }
    }
}

/// The saved value without a name that the same code uses, whatever computes it, if no other one is computed in the same
/// way.
fn same_use(saved: &StoredState, found: &StoredState, local: &StoredLocal) -> Option<usize> {
    let is_whole = |local: &StoredLocal| variable(&local.name).1.is_empty();
    if local.used_by == 0 || is_about_code(&local.name) || !is_whole(local) {
        return None;
    }
    let is_used_alike = |other: &&StoredLocal| other.used_by == local.used_by;
    let number = saved.locals.iter().position(|old| is_used_alike(&old))?;
    let is_only = saved.locals.iter().filter(is_used_alike).count() == 1
        && found.locals.iter().filter(is_used_alike).count() == 1;
    let old = &saved.locals[number];
    let is_made_as = |made: Option<u32>, other: &StoredLocal| {
        made.is_some() && other.used_by != local.used_by && initializer(other) == made
    };
    let is_moved = saved.locals.iter().any(|other| is_made_as(initializer(local), other))
        || found.locals.iter().any(|other| is_made_as(initializer(old), other));
    (is_only && !is_moved && is_whole(old)).then_some(number)
}

/// Checks that borrows of a local's parts, and positions in it, refer to the same items in a value of the current type.
fn check_order(
    before: &StoredDefinition,
    now: &StoredDefinition,
    found: &StoredState,
    old: &StoredLocal,
    local: &StoredLocal,
) -> Result<(), Difference> {
    let schemas = || Some((before.schema(old.schema)?, now.schema(local.schema)?));
    match schemas() {
        Some((old, now)) if !found.borrows.is_empty() && !keeps_order(old, now) => {
            Err(Difference::OtherOrder { local: local.name.clone() })
        }
        _ => Ok(()),
    }
}

/// Checks that a value without a name is made by the same code, or used by the same.
fn check_temporary(old: &StoredLocal, local: &StoredLocal) -> Result<(), Difference> {
    let is_made_alike = initializer(old) == initializer(local);
    match is_made_alike || old.used_by == local.used_by {
        true => Ok(()),
        false => Err(Difference::OtherTemporary { local: local.name.clone() }),
    }
}

fn by_serde(fields: &[String]) -> Vec<&str> {
    fields.iter().map(String::as_str).collect()
}

/// Checks that the handles in a local are not those of other operations than in the saved one.
fn check_handles(old: &StoredLocal, local: &StoredLocal) -> Result<(), Difference> {
    let is_known = |now: &&StoredAwaited| old.handles.iter().any(|old| old.is_same_as(now));
    let is_wanted = |old: &&StoredAwaited| local.handles.iter().any(|now| old.is_same_as(now));
    let kind = std::mem::discriminant::<StoredAwaited>;
    for now in local.handles.iter().filter(|now| !is_known(now)) {
        let before = old.handles.iter().filter(|old| !is_wanted(old));
        if let Some(before) = before.into_iter().find(|before| kind(before) == kind(now)) {
            return Err(Difference::OtherHandle {
                local: local.name.clone(),
                before: before.to_string(),
                now: now.to_string(),
            });
        }
    }
    Ok(())
}

/// The serialized names of the `fields` on the path to a part of a local, after the first `count`.
fn names_within(
    part: &StoredLocal,
    fields: &[&str],
    count: usize,
) -> Result<Vec<String>, Difference> {
    if fields.len() == count {
        return Ok(Vec::new());
    }
    match &part.fields {
        Some(names) if names.len() == fields.len() => Ok(names[count..].to_vec()),
        // A rename may have given a field the name of another one.
        _ => Err(Difference::Unreadable {
            value: part.name.clone(),
            reason: "the serialized names of its fields are not known".to_owned(),
        }),
    }
}

/// A part of the local that is not saved, as far as its schema shows.
fn missing_part(
    now: &StoredDefinition,
    local: &StoredLocal,
    parts: &[(Vec<String>, usize)],
) -> Option<String> {
    let schema = now.schema(local.schema);
    let Some((format, types)) = schema.and_then(|schema| schema.format.as_ref()) else {
        // The schema does not list its parts.
        return Some(local.name.clone());
    };
    let saved: Vec<_> = parts.iter().map(|(path, _)| path.as_slice()).collect();
    missing_in(format, types, &saved).map(|path| format!("{}{path}", local.name))
}

/// The path to a part of this format that no saved path covers.
fn missing_in(format: &Format, types: &[NamedType], saved: &[&[String]]) -> Option<String> {
    if saved.iter().any(|path| path.is_empty()) {
        return None;
    }
    let numbered = |formats: &[Format]| {
        let fields = formats.iter().enumerate();
        fields.map(|(number, format)| (number.to_string(), format.clone())).collect()
    };
    let fields: Vec<(String, Format)> = match format {
        Format::Tuple(items) => numbered(items),
        Format::Type(number) => match &types.get(*number)?.content {
            Content::Struct(Fields::Newtype(content)) => numbered(std::slice::from_ref(content)),
            Content::Struct(Fields::Tuple(items)) => numbered(items),
            Content::Struct(Fields::Named(fields)) => fields.clone(),
            _ => return Some(String::new()),
        },
        _ => return Some(String::new()),
    };
    fields.iter().find_map(|(name, format)| {
        let within = saved.iter().filter_map(|path| path.split_first());
        let within: Vec<_> =
            within.filter(|(field, _)| *field == name).map(|(_, rest)| rest).collect();
        match within.is_empty() {
            true => Some(format!(".{name}")),
            false => missing_in(format, types, &within).map(|path| format!(".{name}{path}")),
        }
    })
}
