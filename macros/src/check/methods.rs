//! Methods with effects or changing results. The receiver's type is not known, so the list has names that are rare on
//! other types, and methods of paths for receivers that are visibly paths.

use syn::{Expr, ExprMethodCall, Ident, Local};

use super::checker::Checker;
use super::kinds::{Kind, is_file_path, names_file_path};
use super::paths::{ACTIVITY, Refused};
use crate::diagnostics::rules::Rule;
use crate::syntax::names::is_any_of;
use crate::syntax::patterns::split_type;

/// Methods refused on any receiver, if called without arguments.
const OF_ANYTHING: &[(&[&str], Refused)] = &[
    (
        &["elapsed"],
        Refused {
            rule: Rule::CLOCK,
            what: "reads the clock of the machine",
            help: "keep `cx.now()` in a local and subtract it from a later `cx.now()`",
        },
    ),
    (
        &["canonicalize", "read_dir", "read_link", "symlink_metadata", "try_exists"],
        Refused { rule: Rule::FILES, what: "looks at files", help: ACTIVITY },
    ),
    (
        &["to_socket_addrs"],
        Refused { rule: Rule::NETWORK, what: "uses the network", help: ACTIVITY },
    ),
];

/// Methods refused on paths.
const OF_PATHS: [&str; 5] = ["exists", "is_dir", "is_file", "is_symlink", "metadata"];

/// Methods of a path that return a path.
const GIVING_PATHS: [&str; 7] =
    ["as_path", "clone", "join", "to_owned", "to_path_buf", "with_extension", "with_file_name"];

/// The refusal of a method called without arguments, on any receiver.
pub(super) fn of_anything(method: &Ident) -> Option<Refused> {
    let is_it = |names: &[&str]| is_any_of(method, names);
    OF_ANYTHING.iter().find(|(names, _)| is_it(names)).map(|(_, refused)| *refused)
}

impl Checker<'_> {
    /// Refuses methods by name. `Instant::now().elapsed()` is one mistake, so a rule is not reported again if the
    /// receiver broke it: those are the rules after the first `before`.
    pub(super) fn check_method(&mut self, call: &ExprMethodCall, before: usize) {
        let of_anything = of_anything(&call.method).filter(|_| call.args.is_empty());
        let of_paths = (is_any_of(&call.method, &OF_PATHS) && self.makes_file_path(&call.receiver))
            .then_some(Refused { rule: Rule::FILES, what: "looks at files", help: ACTIVITY });
        if let Some(Refused { rule, what, help }) = of_anything.or(of_paths)
            && !self.broken[before..].contains(&rule)
        {
            self.report(rule, &call.method, format!("use `{}`, which {what}", call.method), help);
        }
    }

    /// Whether the initializer of a `let` is visibly a path.
    pub(super) fn is_given_file_path(&self, local: &Local) -> bool {
        match (split_type(&local.pat), &local.init) {
            ((_, Some(ty)), _) => is_file_path(ty, &self.names),
            (_, Some(init)) => init.diverge.is_none() && self.makes_file_path(&init.expr),
            _ => false,
        }
    }

    /// Whether an expression is visibly a path: `Path::new(…)`, `PathBuf::from(…).join(…)`, a parameter.
    pub(super) fn makes_file_path(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => self.names.resolve(&path.path).is_some_and(|path| {
                    matches!(path.as_slice(), [first, .., ty, _] if names_file_path(first, ty))
                }),
                _ => false,
            },
            Expr::MethodCall(call) => {
                is_any_of(&call.method, &GIVING_PATHS)
                    && self.makes_file_path(&call.receiver)
            }
            Expr::Paren(expr) => self.makes_file_path(&expr.expr),
            Expr::Reference(expr) => self.makes_file_path(&expr.expr),
            expr => self.locals.of_local(expr) == Kind::FilePath,
        }
    }
}
