//! States whose names differ only by a number, `charge` and `charge#2`: the rule `repeated_state`.

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::{Level, Rule};
use crate::ir::Point;

/// Reports states whose names differ only by their order.
pub(crate) fn report(points: &[Point], level: Level, diagnostics: &Diagnostics) {
    for point in points {
        let Some(shared) = &point.repeats else { continue };
        let message = format!(
            "this is not the first await of `{shared}`, so its state is stored as `{}`",
            point.name
        );
        let help = format!(
            "write `#[state(\"…\")]` before the statement: the number changes when another await of `{shared}` is \
             inserted before it"
        );
        match level {
            Level::Allow => {}
            Level::Warn => {
                diagnostics.warning(point.span, Rule::REPEATED_STATE, message, &help);
            }
            Level::Deny => diagnostics.error(point.span, Rule::REPEATED_STATE, message, &help),
        }
    }
}
