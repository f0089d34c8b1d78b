//! Or-patterns with guards.
//!
//! A guard is evaluated for each alternative that matches, until it is true for one: `(1, x) | (x, _) if good(x)`
//! may test both parts of a pair. If the guard awaits, such alternatives become separate arms.

use syn::spanned::Spanned;
use syn::{Arm, Pat, PatGuard};

use crate::lower::Lower;
use crate::syntax::alternatives::{all_exclude, may_match_twice, without_parens};
use crate::syntax::suspend;

impl Lower<'_> {
    /// The arms, with one for each alternative of a pattern whose guard awaits, if several of them may match.
    pub(crate) fn with_alternatives(&self, arms: Vec<Arm>) -> Vec<Arm> {
        let mut apart = Vec::with_capacity(arms.len());
        for arm in arms {
            let guarded = match &arm.pat {
                Pat::Guard(guarded) if suspend::expr(&guarded.guard) => guarded,
                _ => {
                    apart.push(arm);
                    continue;
                }
            };
            let cases = match without_parens(&guarded.pat) {
                Pat::Or(or) if !all_exclude(&or.cases) => or.cases.iter().collect(),
                pat => vec![pat],
            };
            if cases.iter().any(|case| may_match_twice(case)) {
                let help = "write the alternatives out, `Some(1) | Some(2)` for `Some(1 | 2)`, or write an arm for \
                            each";
                self.unsupported(
                    guarded.pat.span(),
                    "the guard of alternatives that may match the same value",
                    help,
                );
            }
            for case in cases {
                let pat = Box::new(case.clone());
                let pat = Pat::Guard(PatGuard { pat, ..guarded.clone() });
                apart.push(Arm { pat, ..arm.clone() });
            }
        }
        apart
    }
}
