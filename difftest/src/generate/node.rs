//! Programs as trees of text, for printing and shrinking.
//!
//! Every expression knows its type, so a shrinker can put a literal or a smaller expression of the
//! same type in its place without knowing what the expression was. Whether the outcome compiles is
//! left to rustc.

use super::types::Ty;

/// A piece of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What the piece is.
    pub kind: Kind,
    parts: Vec<Part>,
}

/// What a piece of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An expression of this type.
    Expr(Ty),
    /// A statement with its semicolon, or an item.
    Stmt,
    /// Statements or items, one after the other.
    List,
}

/// Which part of a program, which part of that, and so on.
pub(crate) type Path = Vec<usize>;

/// What is found there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Node(&'a Node),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Node(Node),
}

impl Node {
    /// An expression. Each `$` of the template is one of `nodes`.
    pub fn expr(ty: Ty, template: &str, nodes: Vec<Node>) -> Self {
        Self::new(Kind::Expr(ty), template, nodes)
    }

    /// A statement, from a template like that of [`Node::expr`].
    pub fn stmt(template: &str, nodes: Vec<Node>) -> Self {
        Self::new(Kind::Stmt, template, nodes)
    }

    /// Statements or items, one after the other.
    pub fn list(nodes: Vec<Node>) -> Self {
        Self { kind: Kind::List, parts: nodes.into_iter().map(Part::Node).collect() }
    }

    fn new(kind: Kind, template: &str, nodes: Vec<Node>) -> Self {
        let mut parts = Vec::new();
        let mut nodes = nodes.into_iter();
        for (index, text) in template.split('$').enumerate() {
            if index > 0 {
                parts.push(Part::Node(nodes.next().expect("a node for every `$`")));
            }
            parts.push(Part::Text(text.to_owned()));
        }
        assert!(nodes.next().is_none(), "a `$` for every node in `{template}`");
        Self { kind, parts }
    }

    /// Whether it is nothing but a local, a part of one, or what one borrows.
    pub(super) fn is_path(&self) -> bool {
        let source = self.to_source();
        let local = source.trim_start_matches(['(', '*']).trim_end_matches(')');
        local.chars().all(|c| c.is_alphanumeric() || "_.".contains(c))
    }

    /// The source text.
    pub fn to_source(&self) -> String {
        let mut out = String::new();
        self.print(&mut out);
        out
    }

    fn print(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Node(node) => {
                    node.print(out);
                    if self.kind == Kind::List {
                        out.push('\n');
                    }
                }
            }
        }
    }

    /// The same with other text.
    pub(super) fn map_text(mut self, map: &mut impl FnMut(String) -> String) -> Self {
        let parts = self.parts.into_iter().map(|part| match part {
            Part::Text(text) => Part::Text(map(text)),
            Part::Node(node) => Part::Node(node.map_text(map)),
        });
        self.parts = parts.collect();
        self
    }

    /// All pieces of text and nodes below this one, as they are read, with the way to each.
    pub(crate) fn pieces(&self) -> Vec<(Path, Piece<'_>)> {
        let mut out = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Text(text) => out.push((vec![index], Piece::Text(text))),
                Part::Node(node) => {
                    out.push((vec![index], Piece::Node(node)));
                    let below = node.pieces().into_iter();
                    out.extend(below.map(|(path, piece)| ([vec![index], path].concat(), piece)));
                }
            }
        }
        out
    }

    /// The same with another piece at the end of the way.
    pub(crate) fn with_piece(&self, path: &[usize], piece: Piece<'_>) -> Self {
        self.changed_at(path, &|parts, index| {
            parts[index] = match piece {
                Piece::Text(text) => Part::Text(text.to_owned()),
                Piece::Node(node) => Part::Node(node.clone()),
            };
        })
    }

    /// The same with a node more, before what is at the end of the way, which is in a list.
    pub(crate) fn with_node_before(&self, path: &[usize], node: &Node) -> Self {
        self.changed_at(path, &|parts, index| parts.insert(index, Part::Node(node.clone())))
    }

    fn changed_at(&self, path: &[usize], change: &dyn Fn(&mut Vec<Part>, usize)) -> Self {
        let mut copy = self.clone();
        match path {
            [index] => change(&mut copy.parts, *index),
            [index, rest @ ..] => {
                if let Part::Node(node) = &self.parts[*index] {
                    copy.parts[*index] = Part::Node(node.changed_at(rest, change));
                }
            }
            [] => {}
        }
        copy
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().filter_map(|part| match part {
            Part::Node(node) => Some(node),
            Part::Text(_) => None,
        })
    }

    /// Smaller programs that are like this one, the smallest first.
    pub fn shrunk(&self) -> Vec<Node> {
        let mut all: Vec<(usize, Node)> =
            self.replacements().into_iter().map(|node| (node.to_source().len(), node)).collect();
        let size = self.to_source().len();
        all.retain(|(length, _)| *length < size);
        all.sort_by_key(|(length, _)| *length);
        all.dedup();
        all.into_iter().map(|(_, node)| node).collect()
    }

    /// This node with one thing in it replaced by something that is likely smaller.
    fn replacements(&self) -> Vec<Node> {
        let mut out = self.instead();
        for (index, part) in self.parts.iter().enumerate() {
            let Part::Node(child) = part else { continue };
            for smaller in child.replacements() {
                let mut copy = self.clone();
                copy.parts[index] = Part::Node(smaller);
                out.push(copy);
            }
        }
        out
    }

    /// The nodes that could replace this one.
    fn instead(&self) -> Vec<Node> {
        match self.kind {
            Kind::Expr(ty) => {
                let literal = Node::expr(ty, ty.literal(), Vec::new());
                let mut out = Vec::new();
                self.collect(&|node| node.kind == self.kind, &mut out);
                out.push(literal);
                out.retain(|node| node != self);
                out
            }
            Kind::Stmt => {
                let mut out = Vec::new();
                self.collect(&|node| matches!(node.kind, Kind::List | Kind::Stmt), &mut out);
                out
            }
            Kind::List => {
                let count = self.parts.len();
                let mut out = Vec::new();
                let mut length = count;
                while length > 0 {
                    for start in (0..count).step_by(length) {
                        let mut copy = self.clone();
                        copy.parts.drain(start..(start + length).min(count));
                        out.push(copy);
                    }
                    length /= 2;
                }
                out
            }
        }
    }

    /// The outermost pieces below this one that are wanted.
    fn collect(&self, wanted: &dyn Fn(&Node) -> bool, out: &mut Vec<Node>) {
        for child in self.children() {
            if wanted(child) {
                out.push(child.clone());
            } else {
                child.collect(wanted, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_in_order() {
        let one = Node::expr(Ty::Int, "1", vec![]);
        let two = Node::expr(Ty::Int, "2", vec![]);
        let sum = Node::expr(Ty::Int, "$ + $", vec![one, two]);
        let program = Node::list(vec![Node::stmt("let x = $;", vec![sum])]);
        assert_eq!(program.to_source(), "let x = 1 + 2;\n");
    }

    #[test]
    fn everything_can_go() {
        let one = Node::expr(Ty::Int, "1", vec![]);
        let call = Node::expr(Ty::Int, "act($).await", vec![one]);
        let program = Node::list(vec![Node::stmt("let x = $;", vec![call])]);
        let sources: Vec<_> = program.shrunk().iter().map(Node::to_source).collect();
        assert_eq!(sources, ["", "let x = 1;\n", "let x = 0;\n"]);
    }
}
