//! Shrinking a failing program to a small one that fails in the same way.

use super::{Node, are_expected};
use crate::batch::{BatchError, Program, Verdict, Workshop};

/// How many smaller programs are tried in one build.
const CANDIDATES: usize = 48;

/// After how many builds the smallest program so far has to do.
const MAX_BUILDS: usize = 60;

/// What is the same about two failures. `None` for programs that do not fail: also of those that say of
/// themselves that they may be refused.
pub fn failure(source: &str, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Agrees(_) => None,
        Verdict::Refused(complaints) if are_expected(source, complaints) => None,
        Verdict::Diverges(_) => Some("diverges".to_owned()),
        Verdict::Hung => Some("does not end".to_owned()),
        Verdict::Refused(complaints) | Verdict::Invalid(complaints) => {
            // Names differ from program to program, what is said of them does not.
            let said =
                complaints.first()?.headline().split('`').step_by(2).collect::<Vec<_>>().join("_");
            let kind = if matches!(verdict, Verdict::Refused(_)) { "refused" } else { "invalid" };
            Some(format!("{kind}: {said}"))
        }
    }
}

/// The smallest program found that fails as `node` does, which has this verdict.
///
/// # Errors
/// See [`BatchError`].
pub fn shrink(workshop: &Workshop, node: Node, verdict: &Verdict) -> Result<Node, BatchError> {
    let Some(wanted) = failure(&node.to_source(), verdict) else { return Ok(node) };
    // Whether a program compiles is found out without running it.
    let runs = matches!(verdict, Verdict::Diverges(_) | Verdict::Hung);
    let machines = workshop.machines && !matches!(verdict, Verdict::Invalid(_));
    let workshop = &Workshop { runs, machines, ..workshop.clone() };
    smallest(node, |nodes| {
        let program =
            |node: &Node| Program { id: "candidate".to_owned(), source: node.to_source() };
        let programs: Vec<Program> = nodes.iter().map(program).collect();
        let reports = workshop.run(&programs)?;
        let mut failures =
            programs.iter().zip(&reports).map(|(p, report)| failure(&p.source, &report.verdict));
        Ok(failures.position(|failure| failure.as_ref() == Some(&wanted)))
    })
}

/// The smallest program found that is like `node` in what `find` looks for: it finds the first such program
/// among several.
///
/// # Errors
/// Those of `find`.
pub fn smallest(
    node: Node,
    mut find: impl FnMut(&[Node]) -> Result<Option<usize>, BatchError>,
) -> Result<Node, BatchError> {
    let mut smallest = node;
    let mut builds = 0;
    'smaller: loop {
        let candidates = smallest.shrunk();
        for batch in candidates.chunks(CANDIDATES) {
            if builds == MAX_BUILDS {
                return Ok(smallest);
            }
            builds += 1;
            if let Some(index) = find(batch)? {
                smallest = batch[index].clone();
                continue 'smaller;
            }
        }
        return Ok(smallest);
    }
}
