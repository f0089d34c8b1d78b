//! The names of the rules and how strictly each is applied.

/// A rule. Its name is in every message, and names a section of `docs/limits.md` and a folder of
/// ui tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    name: &'static str,
    has_levels: bool,
    default: Level,
}

macro_rules! rules {
    ($($constant:ident = $name:literal $(, $levels:ident)?;)*) => {
        impl Rule {
            $(pub(crate) const $constant: Self =
                Self { name: $name, has_levels: rules!(@ $($levels)?), default: rules!(@@ $($levels)?) };)*
            const ALL: &[Self] = &[$(Self::$constant),*];
        }
    };
    (@) => { false };
    (@ $levels:ident) => { true };
    (@@ asked) => { Level::Allow };
    (@@ $($levels:ident)?) => { Level::Deny };
}

// A rule without levels refuses code that cannot be compiled, so it cannot be relaxed. Rules that are `asked` for are
// allowed by default.
rules! {
    ACTIVITY_SIGNATURE = "activity_signature";
    ATTRIBUTES = "attributes";
    AWAIT_IN_ASYNC_BLOCK = "await_in_async_block";
    AWAIT_IN_CLOSURE = "await_in_closure";
    AWAIT_IN_CONST = "await_in_const";
    AWAIT_IN_MACRO = "await_in_macro";
    CAPTURED_SHADOW = "captured_shadow";
    INNER_ITEM = "inner_item";
    JUMP_IN_MACRO = "jump_in_macro";
    LOCAL_IN_MACRO = "local_in_macro";
    NOT_DURABLE = "not_durable";
    SAVED_LOCALS = "saved_locals";
    STATE_NAME = "state_name";
    STRICT = "strict";
    UNSUPPORTED_AWAIT = "unsupported_await";
    WORKFLOW_SIGNATURE = "workflow_signature";
    CLOCK = "clock", levels;
    ENVIRONMENT = "environment", levels;
    FILES = "files", levels;
    INCLUDE = "include", levels;
    NETWORK = "network", levels;
    OUTPUT = "output", levels;
    PROCESSES = "processes", levels;
    REPEATED_STATE = "repeated_state", asked;
    RANDOM = "random", levels;
    SHARED_STATE = "shared_state", levels;
    STATIC_MUT = "static_mut", levels;
    THREADS = "threads", levels;
    THREAD_LOCAL = "thread_local", levels;
    UNORDERED_MAP = "unordered_map", levels;
    UNSAFE_CODE = "unsafe_code", levels;
}

impl Rule {
    /// The rule called `name`.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::all().find(|rule| rule.name == name)
    }

    /// All rules of this module.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied()
    }

    /// The rule's name.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// The level of the rule if the attribute does not set it.
    pub(crate) fn default_level(self) -> Level {
        self.default
    }

    /// Whether the rule can be allowed or made a warning.
    pub(crate) fn has_levels(self) -> bool {
        self.has_levels
    }
}

/// The consequence of breaking a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Nothing.
    Allow,
    /// A warning.
    Warn,
    /// An error.
    Deny,
}

/// The levels that an attribute sets.
#[derive(Debug, Default)]
pub(crate) struct Levels(Vec<(Rule, Level)>);

impl Levels {
    /// Sets the level of a rule. The last one counts.
    pub(crate) fn set(&mut self, rule: Rule, level: Level) {
        self.0.push((rule, level));
    }

    /// The level of a rule.
    pub(crate) fn of(&self, rule: Rule) -> Level {
        self.of_or(rule, rule.default_level())
    }

    /// The level of a rule that is at `default` if the attribute does not set it.
    pub(crate) fn of_or(&self, rule: Rule, default: Level) -> Level {
        let set = self.0.iter().rev().find(|(set, _)| *set == rule);
        set.map_or(default, |(_, level)| *level)
    }
}
