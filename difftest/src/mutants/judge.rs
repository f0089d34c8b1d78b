//! Compares the errors of a workflow with those of the plain function.

use std::collections::BTreeSet;

use crate::batch::Complaint;

/// What is wrong with how a workflow is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not, though rustc refuses the function.
    Accepted,
    /// The compiler has panicked.
    Panicked,
    /// A message has words of generated code in it.
    Words(String),
    /// None of rustc's errors is among those of the workflow, in the same line and with the same code.
    Elsewhere,
    /// There are far more errors than rustc has.
    TooMany,
}

/// Whether a workflow that is refused is so by rustc's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// At least one of them is.
    LikeRustc,
    /// One of them is of the same kind, and both are about two values of which one must be wrong: those of the
    /// machine are in another order.
    OtherEnd,
    /// The same, and a label stands at the attribute, because the machine has a loop around the code or gives
    /// a variable its value once more.
    AtAttribute,
    /// A rule of piton has been broken, which is noticed first.
    ByRule,
}

/// How many errors a workflow may have that the function does not have.
const MORE: usize = 2;

/// Compares rustc's messages about the workflow of this source with those about the function.
///
/// # Errors
/// What is wrong with it.
pub fn judge(source: &str, plain: &[Complaint], machine: &[Complaint]) -> Result<Refusal, Fault> {
    let is_attribute = |line: usize| {
        let line = line.checked_sub(1).and_then(|line| source.lines().nth(line));
        line.is_some_and(|line| line.trim_start().starts_with("#[workflow"))
    };
    if machine.is_empty() {
        return Err(Fault::Accepted);
    }
    if machine.iter().any(|complaint| complaint.headline().contains("panicked")) {
        return Err(Fault::Panicked);
    }
    let (ruled, others): (Vec<_>, Vec<_>) = machine.iter().partition(|c| c.rule().is_some());
    let said: BTreeSet<&str> = plain.iter().flat_map(|c| &c.said).map(String::as_str).collect();
    let own = others.iter().flat_map(|c| &c.said).filter(|text| !said.contains(text.as_str()));
    let speaks_of_closures = said.iter().any(|text| text.contains("closure"));
    let mut words = own.filter_map(|text| word_of_generated_code(text));
    if let Some(word) = words.find(|word| !(word.starts_with("closure") && speaks_of_closures)) {
        return Err(Fault::Words(word.to_owned()));
    }
    if others.is_empty() {
        return Ok(Refusal::ByRule);
    }
    let any = |fits: &dyn Fn(&Complaint, &Complaint) -> bool| {
        machine.iter().any(|complaint| {
            let mut alike = plain.iter().filter(|other| code(complaint) == code(other));
            alike.any(|other| fits(complaint, other))
        })
    };
    let refusal = if any(&|complaint, other| covers(other, complaint)) {
        Refusal::LikeRustc
    } else if any(&|complaint, other| covers(complaint, other) || is_other_end(complaint, other)) {
        Refusal::OtherEnd
    } else {
        return Err(Fault::Elsewhere);
    };
    if machine.len() > plain.len() + MORE + ruled.len().min(1) {
        return Err(Fault::TooMany);
    }
    let has_label = others.iter().flat_map(|c| &c.labeled).any(|line| is_attribute(*line));
    Ok(if has_label { Refusal::AtAttribute } else { refusal })
}

/// What kind of error it is. That there is no `else` is said where a value is wanted of an `if`.
fn code(complaint: &Complaint) -> Option<&str> {
    let code = complaint.code.as_deref();
    code.map(|code| if code == "E0317" { "E0308" } else { code })
}

/// Whether what one is about is among the lines of the other.
fn covers(other: &Complaint, complaint: &Complaint) -> bool {
    complaint.line.is_some_and(|line| other.line <= Some(line) && Some(line) <= other.last_line)
}

/// Whether both are about the same two values of which one must be wrong.
fn is_other_end(a: &Complaint, b: &Complaint) -> bool {
    let swapped = clash(b).map(|(expected, found)| (found, expected));
    let is_same_place = a.labeled.iter().any(|line| b.labeled.contains(line));
    // Of a value that branches give it may be said where the value is used.
    is_same_place || swapped.is_some() && (clash(a) == swapped || clash(a) == clash(b))
}

/// The mismatched types: expected and found.
fn clash(complaint: &Complaint) -> Option<(&str, &str)> {
    complaint.said.iter().find_map(|text| text.strip_prefix("expected ")?.split_once(", found "))
}

/// A trait that messages name, in words that have been reviewed.
const REVIEWED: &str = "piton::__private::Question";

/// What nobody has written who reads the message.
fn word_of_generated_code(text: &str) -> Option<&'static str> {
    const WORDS: [&str; 13] = [
        "__",
        "Local<",
        "slots",
        "machine::",
        "TypeOf",
        "StepContext",
        "StepError",
        "Saved",
        "Frame",
        "closure@",
        "`Token",
        "::step",
        "closure",
    ];
    // The modules that programs are in, and what stands in for their activities.
    let text = text.replace("difftest::machine::", "").replace(REVIEWED, "");
    let mut rest = text.as_str();
    let mut cleaned = String::new();
    while let Some((before, after)) = rest.split_once("::machine::") {
        let own = before.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('p');
        cleaned += own.map_or(before, |own| own);
        cleaned += if own.is_some() { "" } else { "::machine::" };
        rest = after;
    }
    cleaned += rest;
    WORDS.into_iter().find(|word| cleaned.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(code: &str, line: usize, said: &str) -> Complaint {
        Complaint {
            code: Some(code.to_owned()),
            line: Some(line),
            last_line: Some(line),
            said: vec![said.to_owned()],
            labeled: vec![line],
            rendered: format!("error[{code}]: {said}"),
        }
    }

    const SOURCE: &str = "#[workflow]\nasync fn program() {\n    let x: u8 = \"\";\n}\n";

    #[test]
    fn the_same_error_in_the_same_line_is_asked_for() {
        let plain = [complaint("E0308", 3, "expected `u8`, found `&str`")];
        let judged = |machine: &[Complaint]| judge(SOURCE, &plain, machine);
        assert_eq!(judged(&plain), Ok(Refusal::LikeRustc));
        assert_eq!(judged(&[]), Err(Fault::Accepted));
        assert_eq!(judged(&[complaint("E0308", 4, "mismatched types")]), Err(Fault::Elsewhere));
        let swapped = complaint("E0308", 4, "expected `&str`, found `u8`");
        assert_eq!(judged(&[swapped]), Ok(Refusal::OtherEnd));
        let ruled = complaint("E0277", 4, "rule `saved_locals`");
        assert_eq!(judged(&[ruled]), Ok(Refusal::ByRule));
        let many: Vec<_> =
            (3..9).map(|line| complaint("E0308", line, "mismatched types")).collect();
        assert_eq!(judged(&many), Err(Fault::TooMany));
    }

    #[test]
    fn no_words_of_the_machine_are_asked_for() {
        let plain = [complaint("E0308", 3, "expected `u8`, found `&str`")];
        let word = |said| judge(SOURCE, &plain, &[complaint("E0308", 3, said)]);
        assert_eq!(word("expected `Local<u8>`"), Err(Fault::Words("Local<".to_owned())));
        assert_eq!(
            word("this closure implements `FnOnce`"),
            Err(Fault::Words("closure".to_owned()))
        );
        assert_eq!(word("expected `p1::machine::Room`"), Ok(Refusal::LikeRustc));
        let mut labeled = complaint("E0308", 3, "inside of this loop");
        labeled.labeled.push(1);
        assert_eq!(judge(SOURCE, &plain, &[labeled]), Ok(Refusal::AtAttribute));
    }
}
