//! The state graph of a workflow as constant data.

use std::fmt::Write as _;

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
    /// The locals that the state keeps, in stored order.
    pub locals: &'static [SavedLocal],
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
