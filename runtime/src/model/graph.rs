//! The state graph of a workflow as constant data.

use std::fmt::{self, Write as _};

/// The states of a workflow and the ways between them, known at compile time.
///
/// What `#[workflow]` writes of them is one text, which is read whenever somebody asks for it: a list of states would
/// take rustc as long as a good part of the code for their awaits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Graph {
    /// The workflow's stored name.
    pub workflow: &'static str,
    /// The source file.
    file: &'static str,
    /// The states, one on each line; see [`Node::read`].
    text: &'static str,
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
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SavedLocals {
    /// Each behind a tab: its name, and after a colon its type where the source states it.
    text: &'static str,
    count: usize,
}

impl SavedLocals {
    fn read(text: &'static str) -> Self {
        Self { text, count: text.matches('\t').count() }
    }

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
        self.text.split('\t').skip(1).map(|local| match local.split_once(": ") {
            Some((name, ty)) => SavedLocal { name, ty: Some(ty) },
            None => SavedLocal { name: local, ty: None },
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

impl Node {
    /// Reads a line of a graph's text: the name, what is awaited, the line, the numbers of the states that may be next
    /// or `end` with commas between them, and the locals, with tabs between all of these.
    fn read(line: &'static str, file: &'static str) -> Option<(Self, &'static str)> {
        let (name, rest) = line.split_once('\t')?;
        let (kind, rest) = rest.split_once('\t')?;
        let (line, rest) = rest.split_once('\t')?;
        let (next, locals) = rest.split_at(rest.find('\t').unwrap_or(rest.len()));
        let (kind, line) = (AwaitKind::read(kind), line.parse().ok()?);
        Some((Self { name, kind, file, line, locals: SavedLocals::read(locals) }, next))
    }
}

impl AwaitKind {
    fn read(word: &str) -> Self {
        match word {
            "start" => Self::Start,
            "call" => Self::Call,
            "timer" => Self::Timer,
            "signal" => Self::Signal,
            "select" => Self::Select,
            "join" => Self::Join,
            _ => Self::Other,
        }
    }
}

impl Graph {
    /// The graph of a workflow whose `text` a macro has written.
    #[doc(hidden)]
    pub const fn new(workflow: &'static str, file: &'static str, text: &'static str) -> Self {
        Self { workflow, file, text }
    }

    /// The states, in source order; the first is the start.
    pub fn nodes(&self) -> Vec<Node> {
        self.lines().map(|(node, _)| node).collect()
    }

    /// The ways from state to state.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, (_, next)) in (0..).zip(self.lines()) {
            let next = next.split(',').filter(|to| !to.is_empty());
            edges.extend(next.map(|to| Edge { from, to: to.parse().ok() }));
        }
        edges
    }

    /// The states, each with what its line says of those that may be next.
    fn lines(&self) -> impl Iterator<Item = (Node, &'static str)> {
        self.text.lines().filter_map(|line| Node::read(line, self.file))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("workflow", &self.workflow)
            .field("nodes", &self.nodes())
            .field("edges", &self.edges())
            .finish()
    }
}

impl Graph {
    /// The graph as a Mermaid state diagram.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("stateDiagram-v2\n");
        for (index, node) in self.nodes().into_iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    s{index}: {}", node.name);
        }
        let _ = writeln!(text, "    [*] --> s0");
        for edge in self.edges() {
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
        for (index, node) in self.nodes().into_iter().enumerate() {
            let _ = writeln!(text, "    s{index} [shape=box label={:?}]", node.name);
        }
        for edge in self.edges() {
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
    fn a_graph_is_read_from_its_text() {
        let text = "start\tstart\t3\t1,end\n\
                    charge#2\tcall\t14\t1\torder: Vec<std::string::String>\trest of item\n\
                    forever\ttimer\t15\t\n";
        let graph = Graph::new("w", "w.rs", text);
        let [start, charge, forever] = graph.nodes()[..] else { panic!("three states: {graph:?}") };
        assert_eq!((start.name, start.kind, start.line), ("start", AwaitKind::Start, 3));
        assert!(start.locals.is_empty() && start.locals.iter().next().is_none());
        assert_eq!((charge.name, charge.kind, charge.line), ("charge#2", AwaitKind::Call, 14));
        assert_eq!((charge.file, charge.locals.len()), ("w.rs", 2));
        let expected = [
            SavedLocal { name: "order", ty: Some("Vec<std::string::String>") },
            SavedLocal { name: "rest of item", ty: None },
        ];
        assert!(charge.locals.iter().eq(expected));
        assert_eq!((forever.kind, forever.locals.len()), (AwaitKind::Timer, 0));
        let edge = |from, to| Edge { from, to };
        assert_eq!(graph.edges(), [edge(0, Some(1)), edge(0, None), edge(1, Some(1))]);
    }

    #[test]
    fn nothing_has_no_states() {
        let graph = Graph::new("w", "w.rs", "");
        assert!(graph.nodes().is_empty() && graph.edges().is_empty());
    }
}
