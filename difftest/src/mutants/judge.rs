//! Whether a workflow is refused as the plain function is.

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
    /// A rule of piton has been broken, which is noticed first.
    ByRule,
}

/// How many errors a workflow may have that the function does not have.
const MORE: usize = 2;

/// Compares what rustc says against a workflow with what it says against the function.
///
/// # Errors
/// What is wrong with it.
pub fn judge(plain: &[Complaint], machine: &[Complaint]) -> Result<Refusal, Fault> {
    if machine.is_empty() {
        return Err(Fault::Accepted);
    }
    if machine.iter().any(|complaint| complaint.headline().contains("panicked")) {
        return Err(Fault::Panicked);
    }
    let (ruled, others): (Vec<_>, Vec<_>) = machine.iter().partition(|c| c.rule().is_some());
    let said: BTreeSet<&str> = plain.iter().flat_map(|c| &c.said).map(String::as_str).collect();
    let own = others.iter().flat_map(|c| &c.said).filter(|text| !said.contains(text.as_str()));
    if let Some(words) = own.filter_map(|text| word_of_generated_code(text)).next() {
        return Err(Fault::Words(words));
    }
    if others.is_empty() {
        return Ok(Refusal::ByRule);
    }
    let places: BTreeSet<_> = plain.iter().map(|c| (&c.code, c.line)).collect();
    if !machine.iter().any(|complaint| places.contains(&(&complaint.code, complaint.line))) {
        return Err(Fault::Elsewhere);
    }
    if machine.len() > plain.len() + MORE + ruled.len().min(1) {
        return Err(Fault::TooMany);
    }
    Ok(Refusal::LikeRustc)
}

/// What nobody has written who reads the message.
fn word_of_generated_code(text: &str) -> Option<String> {
    const WORDS: [&str; 12] = [
        "__", "Local<", "slots", "machine::", "TypeOf", "StepContext", "StepError", "Saved", "Frame",
        "closure@", "`Token", "::step",
    ];
    // The modules that programs are in, and what stands in for their activities.
    let text = text.replace("difftest::machine::", "");
    let mut rest = text.as_str();
    let mut cleaned = String::new();
    while let Some((before, after)) = rest.split_once("::machine::") {
        let own = before.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('p');
        cleaned += own.map_or(before, |own| own);
        cleaned += if own.is_some() { "" } else { "::machine::" };
        rest = after;
    }
    cleaned += rest;
    WORDS.into_iter().find(|word| cleaned.contains(word)).map(str::to_owned)
}
