//! The state graph of a workflow as constant data.

use std::fmt::{self, Write as _};

/// The states of a workflow and the ways between them, known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The workflow's stored name.
    pub workflow: &'static str,
    /// The states, in source order; the first is the start.
    pub nodes: &'static [Node],
    /// The ways from state to state.
    pub edges: &'static [Edge],
}

/// One state: a suspension point of the workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The state's stored name, such as `charge` or `charge#2`.
    pub name: &'static str,
    /// What is awaited there.
    pub kind: AwaitKind,
    /// The source file.
    pub file: &'static str,
    /// The line of the await, from 1.
    pub line: u32,
    /// The locals that the state keeps.
    pub locals: SavedLocals,
}

/// The locals that a state keeps, in stored order.
///
/// They are one text: a list for each state would take rustc longer than the code of its await.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SavedLocals {
    /// One on each line: its name, and after a colon its type where the source states it.
    text: &'static str,
    count: usize,
}

/// The `count` locals that `text` lists.
pub const fn saved_locals(text: &'static str, count: usize) -> SavedLocals {
    SavedLocals { text, count }
}

impl SavedLocals {
    /// How many there are.
    pub const fn len(self) -> usize {
        self.count
    }

    /// Whether the state keeps none.
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = SavedLocal> {
        self.text.lines().map(|line| match line.split_once(": ") {
            Some((name, ty)) => SavedLocal { name, ty: Some(ty) },
            None => SavedLocal { name: line, ty: None },
        })
    }
}

impl fmt::Debug for SavedLocals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A local that a state keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedLocal {
    /// Its name in the source.
    pub name: &'static str,
    /// Its type where the source states it.
    pub ty: Option<&'static str>,
}

/// What a state waits for, as far as the source shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AwaitKind {
    /// Nothing: the state before the first step of the run, or of an `async` block in a branch.
    Start,
    /// A call by name: an activity or an inline workflow.
    Call,
    /// A timer.
    Timer,
    /// A signal.
    Signal,
    /// The first of several.
    Select,
    /// All of several.
    Join,
    /// A durable value held in a variable or returned by a method.
    Other,
}

/// A way from one state to another, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index into [`Graph::nodes`].
    pub from: u32,
    /// Index into [`Graph::nodes`]; `None` is the end of the run.
    pub to: Option<u32>,
}

/// Stands for the end of the run in [`edges`].
pub const END: u32 = u32::MAX;

/// The ways between these states.
pub const fn edges<const N: usize>(ways: [(u32, u32); N]) -> [Edge; N] {
    let mut edges = [Edge { from: 0, to: None }; N];
    let mut index = 0;
    while index < N {
        let (from, to) = ways[index];
        edges[index] = Edge { from, to: if to == END { None } else { Some(to) } };
        index += 1;
    }
    edges
}

impl Graph {
    /// The graph as a Mermaid state diagram.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("stateDiagram-v2\n");
        for (index, node) in self.nodes.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    s{index}: {}", node.name);
        }
        let _ = writeln!(text, "    [*] --> s0");
        for edge in self.edges {
            let _ = match edge.to {
                Some(to) => writeln!(text, "    s{} --> s{to}", edge.from),
                None => writeln!(text, "    s{} --> [*]", edge.from),
            };
        }
        text
    }

    /// The graph in the DOT language of Graphviz.
    pub fn to_dot(&self) -> String {
        let mut text =
            format!("digraph {:?} {{\n    end [shape=doublecircle label=\"\"]\n", self.workflow);
        for (index, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(text, "    s{index} [shape=box label={:?}]", node.name);
        }
        for edge in self.edges {
            let _ = match edge.to {
                Some(to) => writeln!(text, "    s{} -> s{to}", edge.from),
                None => writeln!(text, "    s{} -> end", edge.from),
            };
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_locals_are_read_from_their_text() {
        let none = saved_locals("", 0);
        assert!(none.is_empty());
        assert_eq!(none.iter().count(), 0);
        let two = saved_locals("order: Vec<std::string::String>\nrest of item", 2);
        assert_eq!(two.len(), two.iter().count());
        let expected = [
            SavedLocal { name: "order", ty: Some("Vec<std::string::String>") },
            SavedLocal { name: "rest of item", ty: None },
        ];
        assert!(two.iter().eq(expected));
    }

    #[test]
    fn edges_end_at_states_or_at_the_end() {
        let expected = [Edge { from: 0, to: Some(1) }, Edge { from: 1, to: None }];
        assert_eq!(edges([(0, 1), (1, END)]), expected);
    }
}
