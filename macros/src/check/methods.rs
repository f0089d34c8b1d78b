//! Methods that reach outside of the run. The type that they are called on is not seen, so only those
//! are here that other types hardly have, and those of paths on what is seen to be a path.

use syn::{Expr, ExprMethodCall, Path};

use super::paths::{ACTIVITY, Refused};
use super::{Checker, Rule};

/// Those that are refused on any value: the name, and how many arguments they have.
const OF_ANYTHING: &[(&[&str], usize, Refused)] = &[
    (
        &["elapsed"],
        0,
        Refused {
            rule: Rule::CLOCK,
            what: "reads the clock of the machine",
            help: "keep `cx.now()` in a local and subtract it from a later `cx.now()`",
        },
    ),
    (
        &["canonicalize", "read_dir", "read_link", "symlink_metadata", "try_exists"],
        0,
        Refused { rule: Rule::FILES, what: "looks at files", help: ACTIVITY },
    ),
    (
        &["to_socket_addrs"],
        0,
        Refused { rule: Rule::NETWORK, what: "uses the network", help: ACTIVITY },
    ),
];

/// Those that are refused on paths.
const OF_PATHS: [&str; 5] = ["exists", "is_dir", "is_file", "is_symlink", "metadata"];

impl Checker<'_> {
    /// Refuses methods by name.
    pub(super) fn check_method(&mut self, call: &ExprMethodCall) {
        let is_called = |names: &[&str]| names.iter().any(|name| call.method == name);
        let of_anything = OF_ANYTHING
            .iter()
            .find(|(names, arguments, _)| call.args.len() == *arguments && is_called(names))
            .map(|(_, _, refused)| *refused);
        let of_paths = (is_called(&OF_PATHS) && self.is_file_path(&call.receiver))
            .then_some(Refused { rule: Rule::FILES, what: "looks at files", help: ACTIVITY });
        if let Some(Refused { rule, what, help }) = of_anything.or(of_paths) {
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
