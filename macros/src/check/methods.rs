//! Methods that reach outside of the run. The type that they are called on is not seen, so only those
//! are here that other types hardly have, and those of paths on what is seen to be a path.

use syn::{Expr, ExprMethodCall, Ident, Path};

use super::paths::{ACTIVITY, Refused};
use super::{Checker, Rule};

/// Those that are refused on any value, if they are called without arguments.
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

/// Those that are refused on paths.
const OF_PATHS: [&str; 5] = ["exists", "is_dir", "is_file", "is_symlink", "metadata"];

/// What a method does that is called without arguments, on whatever it is called.
pub(super) fn of_anything(method: &Ident) -> Option<Refused> {
    let is_it = |names: &[&str]| names.iter().any(|name| method == name);
    OF_ANYTHING.iter().find(|(names, _)| is_it(names)).map(|(_, refused)| *refused)
}

impl Checker<'_> {
    /// Refuses methods by name. Of `Instant::now().elapsed()` one thing is to be said, so rules that
    /// have been found broken after the first `before` are not named again.
    pub(super) fn check_method(&mut self, call: &ExprMethodCall, before: usize) {
        let of_anything = of_anything(&call.method).filter(|_| call.args.is_empty());
        let of_paths = (OF_PATHS.iter().any(|name| call.method == name)
            && self.is_file_path(&call.receiver))
        .then_some(Refused { rule: Rule::FILES, what: "looks at files", help: ACTIVITY });
        if let Some(Refused { rule, what, help }) = of_anything.or(of_paths)
            && !self.broken[before..].contains(&rule)
        {
            self.report(rule, &call.method, format!("use `{}`, which {what}", call.method), help);
        }
    }

    /// Whether an expression is seen to make a path: `Path::new(…)`, `PathBuf::from(…).join(…)`.
    fn is_file_path(&self, expr: &Expr) -> bool {
        let names_path = |path: &Path| {
            self.names.resolve(path).is_some_and(|path| {
                matches!(path.as_slice(), [first, .., ty, _]
                    if first == "std" && (ty == "Path" || ty == "PathBuf"))
            })
        };
        match expr {
            Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if names_path(&path.path)),
            Expr::MethodCall(call) => {
                ["join", "with_extension", "with_file_name"].iter().any(|name| call.method == name)
                    && self.is_file_path(&call.receiver)
            }
            Expr::Paren(expr) => self.is_file_path(&expr.expr),
            Expr::Reference(expr) => self.is_file_path(&expr.expr),
            _ => false,
        }
    }
}
