//! What generated programs say of themselves: where a rule of piton may refuse what rustc accepts.
//!
//! It is said in the line that the refusal would be about, so a refusal for another reason, or of another
//! line, is one that nobody expects.

use crate::batch::Complaint;

/// What a statement begins with that may be refused.
const MAY_BE_REFUSED: &str = "/* may be refused: saved_locals */ ";

/// What a statement begins with.
pub(super) fn marker(may_be_refused: bool) -> &'static str {
    if may_be_refused { MAY_BE_REFUSED } else { "" }
}

/// Whether a rule may refuse the program.
pub fn may_be_refused(source: &str) -> bool {
    source.contains(MAY_BE_REFUSED)
}

/// Whether all complaints are about lines of `source` that may be refused by the rule they name.
pub fn are_expected(source: &str, complaints: &[Complaint]) -> bool {
    let is_expected = |complaint: &Complaint| {
        let line = complaint.line.and_then(|line| source.lines().nth(line - 1));
        complaint.rule().is_some_and(|rule| {
            line.is_some_and(|line| line.contains(&format!("/* may be refused: {rule} */")))
        })
    };
    !complaints.is_empty() && complaints.iter().all(is_expected)
}
