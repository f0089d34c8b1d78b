//! The table of edits in the documentation.

use std::path::PathBuf;

use libtest_mimic::Failed;

use crate::edit::{Edit, Verdict};
use crate::{Group, scheduled};

const BEGIN: &str = "<!-- The table is written by `UPDATE_DOCS=1 cargo test -p piton --test evolution documented`. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

/// The title of a group of edits.
fn title(group: &str) -> &'static str {
    match group {
        "places" => "Awaits",
        "same_operation" => "Several awaits of the same operation",
        "locals" => "Locals",
        "exchanged" => "Locals that exchange their names, or share one",
        "operands" => "Operands before an await",
        "temporaries" => "Values that are borrowed or looped over",
        "parts" => "Parts of saved structs",
        "values" => "Saved numbers, texts and options",
        "collections" => "Saved tuples, newtypes, lists and maps",
        "loops" => "Loops",
        "iterators" => "Loops over iterators",
        "borrows" => "Borrows",
        "shapes" => "Saved values of another shape",
        "forms" => "Saved values of types of the standard library, and of nested types",
        "nested" => "Saved values in other values, and of types of other crates",
        "attributes" => "Attributes of serde",
        "bodies" => "Code that is written in another way",
        "rewritten" => "Code that takes another construct",
        "structs" => "Saved structs",
        "enums" => "Saved enums, and other forms",
        "refused" => "Types that refuse what others take",
        "branches" => "Branches",
        "early_exits" => "Guards and other early exits",
        "narrowed" => "Branches that a `#[migrate]` gives up",
        "blocks" => "`async` blocks",
        "fan_out" => "Time limits, maps, polling and spawned calls",
        "several" => "Maps, races, polling and sleeps",
        "inline" => "Workflows within workflows",
        "helpers" => "Generic workflows, other names and versions",
        "again" => "Runs that continue as new, former names, constants",
        "kin" => "Children, promises and spawned calls",
        "handles" => "Handles of children, promises and spawned calls",
        "held" => "Lists of handles, and other names of promises",
        "wire" => "Arguments, results, signals and heartbeats",
        "options" => "Options of activities",
        "parameters" => "Parameters",
        "transactions" => "Activities that become transactions, and back",
        "endings" => "Requests to cancel, shields and compensations",
        "undone" => "Noted compensations and shields",
        "exposed" => "Exposed variables and updates",
        "answered" => "Updates and queries",
        other => panic!("the group `{other}` has no title"),
    }
}

/// Compares the table with the edits, or writes it if `UPDATE_DOCS` is set.
pub fn check(groups: &[Group]) -> Result<(), Failed> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/changing-code.md");
    let text = std::fs::read_to_string(&path)?;
    let parts = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| rest.split_once(END).map(|(_, after)| (before, after)));
    let (before, after) = parts.ok_or("the marks around the table are missing")?;
    let table: String = groups.iter().map(|(name, edits)| section(title(name), &edits())).collect();
    let scheduled =
        scheduled::rows().into_iter().map(|(what, fate)| format!("| {what} | {fate} |\n"));
    let scheduled = titled("Schedules", "the schedule", scheduled.collect());
    let wanted = format!("{before}{BEGIN}{table}{scheduled}\n{END}{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, wanted)?;
        return Ok(());
    }
    match text == wanted {
        true => Ok(()),
        false => Err("the table differs from the edits: run with UPDATE_DOCS=1".into()),
    }
}

fn section(title: &str, edits: &[Edit]) -> String {
    titled(title, "a run that is parked", edits.iter().map(row).collect())
}

fn titled(title: &str, whose: &str, rows: String) -> String {
    format!("\n### {title}\n\n| edit | {whose} |\n| --- | --- |\n{rows}")
}

fn row(edit: &Edit) -> String {
    let mut outcomes: Vec<(String, Vec<&str>)> = Vec::new();
    for cell in &edit.cells {
        let outcome = outcome(&cell.verdict);
        match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, states)) if states.contains(&cell.state) => {}
            Some((_, states)) => states.push(cell.state),
            None => outcomes.push((outcome, vec![cell.state])),
        }
    }
    let outcomes = outcomes.iter().map(|(outcome, states)| match edit.cells.len() {
        1 => outcome.clone(),
        _ => format!("at `{}`: {outcome}", states.join("`, `")),
    });
    let outcomes: Vec<_> = outcomes.collect();
    format!("| {} | {} |\n", edit.what, outcomes.join("; "))
}

fn outcome(verdict: &Verdict) -> String {
    let why = match verdict {
        Verdict::Goes(_) => return "continues".to_owned(),
        Verdict::Back(..) => return "continues, also back in the old build".to_owned(),
        Verdict::Held(..) => "the value of the handle does not fit the type",
        Verdict::Refused(..) => "the type refuses the value",
        Verdict::Blocked(kind, ..) => match *kind {
            "MissingState" => "the state is gone",
            "AmbiguousState" => "several awaits may be the parked one",
            "MissingLocal" => "a needed local was not saved",
            "MissingPart" => "only parts of a local were saved",
            "AmbiguousLocal" => "several locals may be the saved one",
            "ExchangedLocal" => "locals may have exchanged their names",
            "ReorderedValue" => "the parts of a value may have changed places",
            "OtherNesting" => "nested loops have changed places",
            "OtherTemporary" => "a value without a name is another one",
            "OtherSource" => "the code of a saved position has changed",
            "OtherOrder" => "items of a list may be in another order",
            "OtherBorrow" => "the code of a borrow has changed",
            "OtherHandle" => "the handle of another operation was saved",
            "MissingBranch" => "a branch is gone",
            "NewBranch" => "a branch has not begun",
            "AmbiguousBranch" => "several branches may be the saved one",
            "OtherVersion" => "the version of the run is gone",
            "OtherOperation" => "another operation is awaited",
            "Migration" => "the `#[migrate]` does not convert it",
            "Unreadable" => "the value does not fit the type",
            "" => "the next value that it reads does not fit the type",
            other => panic!("the difference `{other}` has no words"),
        },
    };
    format!("**blocked**: {why}")
}
