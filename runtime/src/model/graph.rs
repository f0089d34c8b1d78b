//! The state graph of a workflow as constant data.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

/// The states of a workflow and the transitions between them, known at compile time.
///
/// The macro emits them as one text, which is parsed on use: as a list of states, they would take rustc as long as
/// a good part of the code of their awaits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Graph {
    /// The workflow's stored name.
    pub workflow: &'static str,
    /// The source file.
    file: &'static str,
    /// The states, one per line; see [`Node::read`].
    text: &'static str,
}

/// One state: a suspension point of the workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The state's stored name, such as `charge` or `charge#2`.
    pub name: &'static str,
    /// What it awaits.
    pub kind: AwaitKind,
    /// The source file.
    pub file: &'static str,
    /// The line of the await, from 1.
    pub line: u32,
    /// Which of the awaits of its name it is. An await named with `#[state("…")]` is the only one of its name.
    pub place: Place,
    /// The branches, in source order, if it awaits several operations or an `async` block.
    pub branches: Vec<BranchNode>,
    /// The borrows that are computed again from saved locals, and the positions of loops over borrows.
    pub borrows: Vec<BorrowNode>,
    /// The locals that the state saves.
    pub locals: SavedLocals,
}

/// A borrow that is made again after the await, or the position of a loop over one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BorrowNode {
    /// The local's stored name.
    pub name: &'static str,
    /// A hash of the code that makes it.
    pub fingerprint: u32,
    /// The numbers of the constants of which it is made.
    pub(crate) constants: Vec<usize>,
}

impl BorrowNode {
    /// Reads `0badcafe/0,2 name`.
    fn read(text: &'static str) -> Option<Self> {
        let (made, name) = text.split_once(' ')?;
        let (fingerprint, constants) = made.split_once('/')?;
        let constants = constants.split(',').filter(|number| !number.is_empty());
        Some(Self {
            name,
            fingerprint: u32::from_str_radix(fingerprint, 16).ok()?,
            constants: constants.map(|number| number.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

/// Which of several things with the same name this is: the second of three awaits of `charge`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its index in source order, from 1.
    pub index: u32,
    /// The number of them.
    pub count: u32,
    /// A hash of its source, independent of the versions of piton and rustc. 0 if there is none, or if it would not
    /// distinguish it from another.
    pub fingerprint: u32,
    /// Of one of several locals of a name, a hash of the sources of the others and of its place among them. Of an await or a
    /// branch whose operation a local holds, a hash of the code that binds the local. 0 of anything else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u32,
    /// Of one of several awaits or branches of a name, a hash of the operation and its arguments, in which a local counts as
    /// the code that binds it. 0 of anything else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub operation: u32,
}

pub(crate) fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Place {
    /// The place of the only one of its name, without a hash.
    pub const ONLY: Self = Self { index: 1, count: 1, fingerprint: 0, others: 0, operation: 0 };

    /// Reads `2/3/0badcafe`, and what may come behind it: `/cafebabe` for the others of its name, and another hash for the
    /// operation.
    fn read(text: &str) -> Option<Self> {
        let (index, rest) = text.split_once('/')?;
        let (count, rest) = rest.split_once('/')?;
        let (fingerprint, rest) = rest.split_once('/').unwrap_or((rest, "0"));
        let (others, operation) = rest.split_once('/').unwrap_or((rest, "0"));
        Some(Self {
            index: index.parse().ok()?,
            count: count.parse().ok()?,
            fingerprint: u32::from_str_radix(fingerprint, 16).ok()?,
            others: u32::from_str_radix(others, 16).ok()?,
            operation: u32::from_str_radix(operation, 16).ok()?,
        })
    }
}

/// A branch of a `select!`, a `join!` or a `try_join!`, or an `async` block that is awaited alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchNode {
    /// What it awaits, by the rule for the names of states; `async` for a block; or the name given by
    /// `#[state("…")]`.
    pub name: &'static str,
    /// Whether it is an `async` block, with states of its own.
    pub is_block: bool,
    /// Which of the branches of its name it is.
    pub place: Place,
}

impl BranchNode {
    /// Parses a place, a `*` for a block or a space, and a name.
    fn read(text: &'static str) -> Option<Self> {
        let (place, is_block, name) = split_at_mark(text, '*')?;
        Some(Self { name, is_block, place: Place::read(place)? })
    }
}

/// Splits at the first space or `mark`. Returns whether it was the mark.
fn split_at_mark(text: &'static str, mark: char) -> Option<(&'static str, bool, &'static str)> {
    let (at, found) = text.char_indices().find(|(_, c)| *c == ' ' || *c == mark)?;
    Some((&text[..at], found == mark, &text[at + 1..]))
}

/// The locals that a state saves, in stored order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SavedLocals {
    /// Each after a tab: see [`SavedLocal::read`].
    text: &'static str,
    count: usize,
}

impl SavedLocals {
    fn read(text: &'static str) -> Self {
        Self { text, count: text.matches('\t').count() }
    }

    /// The number of locals.
    pub const fn len(self) -> usize {
        self.count
    }

    /// Whether the state saves none.
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Iterates over them.
    pub fn iter(self) -> impl Iterator<Item = SavedLocal> {
        self.text.split('\t').skip(1).filter_map(SavedLocal::read)
    }
}

impl fmt::Debug for SavedLocals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A local that a state saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedLocal {
    /// Its name in the source.
    pub name: &'static str,
    /// Its type, if written in the source.
    pub ty: Option<&'static str>,
    /// Former names, from `#[formerly("…")]`, separated by U+001F.
    pub formerly: &'static str,
    /// Which of the bindings of its name in the function it is.
    pub place: Place,
    /// If another binding of its name has the same initializer: the hashes of the initializers of all of them, in source
    /// order, with `+` between them. Empty otherwise.
    pub initializers: &'static str,
    /// Of a value that the source gives no name, a hash of the code that uses it: the expression around it with its index
    /// as an operand, or the pattern that binds it or a borrow of it. 0 of anything else.
    pub used_by: u32,
    /// Of a local that a pattern binds with others, a hash of the tokens of the value in any order. 0 of anything else.
    pub unordered: u32,
    /// Whether its value is hidden, by `#[redact]`.
    pub redacted: bool,
    /// Whether clients can read it, by `#[expose]`.
    pub exposed: bool,
}

impl SavedLocal {
    /// Reads a place, hashes of initializers, each behind a `+`, the hash of the code that uses it behind a `>`, that of the
    /// value's tokens behind a `~`, a `!` for a redacted one or a space, an `@` if it is exposed, the name, former names, each
    /// behind U+001F, and after a colon the type where the source states it.
    fn read(text: &'static str) -> Option<Self> {
        let (place, redacted, named) = split_at_mark(text, '!')?;
        let (place, unordered) = split_hash(place, '~')?;
        let (place, used_by) = split_hash(place, '>')?;
        let (place, initializers) = place.split_once('+').unwrap_or((place, ""));
        let place = Place::read(place)?;
        let (exposed, named) = match named.strip_prefix('@') {
            Some(named) => (true, named),
            None => (false, named),
        };
        let (name, ty) = match named.split_once(": ") {
            Some((name, ty)) => (name, Some(ty)),
            None => (named, None),
        };
        let (name, formerly) = name.split_once(BETWEEN_BRANCHES).unwrap_or((name, ""));
        Some(Self {
            name,
            ty,
            formerly,
            place,
            initializers,
            used_by,
            unordered,
            redacted,
            exposed,
        })
    }
}

/// The variable of a loop, of the name of the local that holds the loop's remaining items or its position.
pub(crate) fn loop_variable(local: &str) -> Option<&str> {
    local.strip_prefix("rest of ").or_else(|| local.strip_prefix("position of "))
}

/// Splits off the hash behind this mark; 0 if there is none.
fn split_hash(text: &'static str, mark: char) -> Option<(&'static str, u32)> {
    match text.split_once(mark) {
        Some((text, hash)) => Some((text, u32::from_str_radix(hash, 16).ok()?)),
        None => Some((text, 0)),
    }
}

/// The kind of an await, as far as the source shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AwaitKind {
    /// None: the state before the first step of the run, or of an `async` block in a branch.
    Start,
    /// A call of an activity or an inline workflow.
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
    /// An update.
    Update,
}

/// A transition from one state to another, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index into [`Graph::nodes`].
    pub from: u32,
    /// Index into [`Graph::nodes`]; `None` is the end of the run.
    pub to: Option<u32>,
}

impl Node {
    /// Reads a line of a graph's text: the name, what is awaited, the line, the numbers of the states that may be next
    /// or `end` with commas between them, the place, the borrows and the branches with [`BETWEEN_BRANCHES`] between
    /// them, and the locals, with tabs between all of these.
    fn read(line: &'static str, file: &'static str) -> Option<(Self, &'static str)> {
        let (name, rest) = line.split_once('\t')?;
        let (kind, rest) = rest.split_once('\t')?;
        let (line, rest) = rest.split_once('\t')?;
        let (next, rest) = rest.split_once('\t')?;
        let (place, rest) = rest.split_once('\t')?;
        let (borrows, rest) = rest.split_once('\t')?;
        let borrows = borrows.split(BETWEEN_BRANCHES).filter(|borrow| !borrow.is_empty());
        let (branches, locals) = rest.split_at(rest.find('\t').unwrap_or(rest.len()));
        let branches = branches.split(BETWEEN_BRANCHES).filter(|branch| !branch.is_empty());
        let node = Self {
            name,
            kind: AwaitKind::read(kind),
            file,
            line: line.parse().ok()?,
            place: Place::read(place)?,
            branches: branches.map(BranchNode::read).collect::<Option<_>>()?,
            borrows: borrows.map(BorrowNode::read).collect::<Option<_>>()?,
            locals: SavedLocals::read(locals),
        };
        Some((node, next))
    }
}

/// The separator of branches in a graph's text. Names contain no control characters.
const BETWEEN_BRANCHES: char = '\x1f';

impl AwaitKind {
    fn read(word: &str) -> Self {
        match word {
            "start" => Self::Start,
            "call" => Self::Call,
            "timer" => Self::Timer,
            "signal" => Self::Signal,
            "select" => Self::Select,
            "join" => Self::Join,
            "update" => Self::Update,
            _ => Self::Other,
        }
    }
}

impl Graph {
    /// The graph of a workflow from the `text` emitted by the macro.
    #[doc(hidden)]
    pub const fn new(workflow: &'static str, file: &'static str, text: &'static str) -> Self {
        Self { workflow, file, text }
    }

    /// The states, in source order; the first is the start.
    pub fn nodes(&self) -> Vec<Node> {
        self.lines().map(|(node, _)| node).collect()
    }

    /// The transitions.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, (_, next)) in (0..).zip(self.lines()) {
            let next = next.split(',').filter(|to| !to.is_empty());
            edges.extend(next.map(|to| Edge { from, to: to.parse().ok() }));
        }
        edges
    }

    /// The states, each with the successors listed in its line.
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
        let text = "start\tstart\t3\t1,end\t1/1/00000000\t\t\n\
                    charge#2\tcall\t14\t1\t2/3/0badcafe/00000000/0000000e\t0000000c/ line\x1f0000000d/0,2 position of item\t\t1/1/0000000a~0000000c order: Vec<std::string::String>\t\
                    2/2/00000000/cafebabe+0000000e+0000000f>deadbeef!@rest of item\x1frest\x1fothers\n\
                    select\tselect\t15\t\t1/1/0000000b\t\t\
                    1/2/00000001 signal<A, B>\x1f1/1/00000002*async\x1f2/2/00000003 signal<A, B>\n";
        let graph = Graph::new("w", "w.rs", text);
        let nodes = graph.nodes();
        let [start, charge, select] = &nodes[..] else { panic!("three states: {graph:?}") };
        let place = |index, count, fingerprint| Place { index, count, fingerprint, ..Place::ONLY };
        assert_eq!((start.name, start.kind, start.line), ("start", AwaitKind::Start, 3));
        assert!(start.locals.is_empty() && start.locals.iter().next().is_none());
        assert_eq!((start.place, &start.branches[..]), (Place::ONLY, &[][..]));
        assert_eq!(charge.place, Place { operation: 14, ..place(2, 3, 0x0bad_cafe) });
        assert_eq!((charge.name, charge.kind, charge.line), ("charge#2", AwaitKind::Call, 14));
        assert_eq!((charge.file, charge.locals.len()), ("w.rs", 2));
        let borrow = |name, fingerprint, constants| BorrowNode { name, fingerprint, constants };
        let expected = [borrow("line", 12, Vec::new()), borrow("position of item", 13, vec![0, 2])];
        assert_eq!(charge.borrows, expected);
        assert!(start.borrows.is_empty());
        let expected = [
            SavedLocal {
                name: "order",
                formerly: "",
                ty: Some("Vec<std::string::String>"),
                place: place(1, 1, 10),
                initializers: "",
                used_by: 0,
                unordered: 12,
                redacted: false,
                exposed: false,
            },
            SavedLocal {
                name: "rest of item",
                ty: None,
                formerly: "rest\x1fothers",
                place: Place { others: 0xcafe_babe, ..place(2, 2, 0) },
                initializers: "0000000e+0000000f",
                used_by: 0xdead_beef,
                unordered: 0,
                redacted: true,
                exposed: true,
            },
        ];
        assert!(charge.locals.iter().eq(expected));
        assert_eq!((select.kind, select.locals.len()), (AwaitKind::Select, 0));
        let branch = |name, is_block, place| BranchNode { name, is_block, place };
        let expected = [
            branch("signal<A, B>", false, place(1, 2, 1)),
            branch("async", true, place(1, 1, 2)),
            branch("signal<A, B>", false, place(2, 2, 3)),
        ];
        assert_eq!(select.branches, expected);
        let edge = |from, to| Edge { from, to };
        assert_eq!(graph.edges(), [edge(0, Some(1)), edge(0, None), edge(1, Some(1))]);
    }

    #[test]
    fn nothing_has_no_states() {
        let graph = Graph::new("w", "w.rs", "");
        assert!(graph.nodes().is_empty() && graph.edges().is_empty());
    }
}
