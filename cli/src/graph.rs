//! The graph of a workflow as text.

use std::fmt::Write as _;

use piton::evolution::{StoredDefinition, StoredState};

/// A state as named in a drawing.
fn label(state: &StoredState) -> String {
    format!("{}:{}", state.name, state.line)
}

/// The states that may follow, and `end` for the end.
fn next(definition: &StoredDefinition, number: u32) -> Vec<String> {
    let edges = definition.edges.iter().filter(|(from, _)| *from == number);
    let state = |to: u32| definition.states.get(to as usize).map(label);
    edges.filter_map(|(_, to)| to.map_or_else(|| Some("end".to_owned()), state)).collect()
}

/// A state with its predecessors and successors.
///
/// ```text
/// charge:12 ─┬▶ [signal<Go>:14] ─┬▶ ship:15
/// retry:20  ─┘                   └▶ end
/// ```
pub(crate) fn neighborhood(definition: &StoredDefinition, state: &str) -> Option<String> {
    let number = definition.states.iter().position(|found| found.name == state)?;
    let middle = format!("[{}]", label(&definition.states[number]));
    let number = u32::try_from(number).ok()?;
    let edges = definition.edges.iter().filter(|(_, to)| *to == Some(number));
    let before = edges.filter_map(|(from, _)| definition.states.get(*from as usize).map(label));
    let (before, after) = (before.collect::<Vec<_>>(), next(definition, number));
    let width = |text: &str| text.chars().count();
    let widest = before.iter().map(|text| width(text)).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..before.len().max(after.len()).max(1) {
        let mut line = String::new();
        match before.get(row) {
            Some(name) => {
                let arrow = match (row, row + 1 == before.len()) {
                    (0, true) => "──▶",
                    (0, false) => "─┬▶",
                    (_, true) => "─┘ ",
                    (_, false) => "─┤ ",
                };
                let _ = write!(line, "{name:widest$} {arrow} ");
            }
            None if before.is_empty() => {}
            None => line.push_str(&" ".repeat(widest + 5)),
        }
        match row {
            0 => line.push_str(&middle),
            _ => line.push_str(&" ".repeat(width(&middle))),
        }
        if let Some(name) = after.get(row) {
            let arrow = match (row, row + 1 == after.len()) {
                (0, true) => "──▶",
                (0, false) => "─┬▶",
                (_, true) => " └▶",
                (_, false) => " ├▶",
            };
            let _ = write!(line, " {arrow} {name}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Some(text)
}

/// The states in source order, each with its successors.
pub(crate) fn text(definition: &StoredDefinition) -> String {
    let labels: Vec<_> = definition.states.iter().map(label).collect();
    let widest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (number, label) in (0..).zip(&labels) {
        let _ = writeln!(text, "{label:widest$} ──▶ {}", next(definition, number).join(", "));
    }
    text
}

/// The graph as a Mermaid state diagram.
pub(crate) fn mermaid(definition: &StoredDefinition) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    for (number, state) in definition.states.iter().enumerate() {
        let _ = writeln!(text, "    s{number}: {}", state.name);
    }
    text.push_str("    [*] --> s0\n");
    for (from, to) in &definition.edges {
        let _ = match to {
            Some(to) => writeln!(text, "    s{from} --> s{to}"),
            None => writeln!(text, "    s{from} --> [*]"),
        };
    }
    text
}

/// The graph in the DOT language of Graphviz.
pub(crate) fn dot(definition: &StoredDefinition) -> String {
    let mut text = format!("digraph {:?} {{\n", definition.workflow);
    text.push_str("    end [shape=doublecircle label=\"\"]\n");
    for (number, state) in definition.states.iter().enumerate() {
        let _ = writeln!(text, "    s{number} [shape=box label={:?}]", state.name);
    }
    for (from, to) in &definition.edges {
        let _ = match to {
            Some(to) => writeln!(text, "    s{from} -> s{to}"),
            None => writeln!(text, "    s{from} -> end"),
        };
    }
    text.push_str("}\n");
    text
}
