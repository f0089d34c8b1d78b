//! Assignments, and changes in place.

use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Ty};

/// What changes a local of a type: `@` is the local, and each `$` an expression of the type beside
/// it.
type Change = (&'static str, &'static [Ty]);

const LIST: [Change; 12] = [
    ("@.push($);", &[Ty::Int]),
    ("@.push($);", &[Ty::Int]),
    (
        "if !@.is_empty() { let place = i64::rem_euclid($, @.len() as i64) as usize; @[place] = $; }",
        &[Ty::Int, Ty::Int],
    ),
    (
        "if !@.is_empty() { let count = @.len() as i64; @[i64::rem_euclid($, count) as usize] += $; }",
        &[Ty::Int, Ty::Int],
    ),
    ("if @.len() > 1 { @[0] ^= $; }", &[Ty::Int]),
    ("@.extend($);", &[Ty::List]),
    ("@.insert(0, $);", &[Ty::Int]),
    ("@.retain(|x| *x % 3 != 1);", &[]),
    ("if let Some(last) = @.last_mut() { *last += 1; }", &[]),
    ("@.sort_by_key(|x| -(*x % 7));", &[]),
    ("note(std::mem::take(&mut @));", &[]),
    ("note(@.pop());", &[]),
];

const TEXT: [Change; 7] = [
    ("@.push_str($);", &[Ty::Str]),
    ("@ += &$;", &[Ty::Text]),
    ("@.push($);", &[Ty::Char]),
    ("@.insert_str(0, &$);", &[Ty::Text]),
    ("@.truncate(@.len().min(1));", &[]),
    ("write!(@, \"{}{:?}\", { $ }, $).expect(\"there is room\");", &[Ty::Int, Ty::Shape]),
    ("note(std::mem::replace(&mut @, $));", &[Ty::Text]),
];

const MAP: [Change; 9] = [
    ("*@.entry($).or_default() += $;", &[Ty::Text, Ty::Int]),
    ("@.insert($, $);", &[Ty::Text, Ty::Int]),
    ("@.insert($, $);", &[Ty::Text, Ty::Int]),
    ("*@.entry($).or_insert(0) += $;", &[Ty::Text, Ty::Int]),
    ("@.entry($).or_insert(7);", &[Ty::Text]),
    ("@.entry($).or_insert($);", &[Ty::Text, Ty::Int]),
    ("*@.entry($).or_insert($) ^= $;", &[Ty::Text, Ty::Int, Ty::Int]),
    ("if let Some(x) = @.get_mut(&*$) { *x -= 1; }", &[Ty::Text]),
    ("note(@.remove(&*$));", &[Ty::Text]),
];

const ORDER: [Change; 5] = [
    ("@.id += $;", &[Ty::Int]),
    ("@.customer = $;", &[Ty::Text]),
    ("@.lines.push(Line { sku: $, count: $ });", &[Ty::Text, Ty::Int]),
    ("if !@.lines.is_empty() { @.lines[0].count += $; }", &[Ty::Int]),
    ("@.lines.truncate(i64::rem_euclid($, 3) as usize);", &[Ty::Int]),
];

const TEXTS: [Change; 6] = [
    ("if !@.is_empty() { @.last_mut().unwrap().push_str(&$); }", &[Ty::Text]),
    ("if !@.is_empty() { @.first_mut().expect(\"there is one\").insert_str(0, &$); }", &[Ty::Text]),
    ("@.insert(0, $);", &[Ty::Text]),
    ("@.push($);", &[Ty::Text]),
    ("if !@.is_empty() { @[0] = $; }", &[Ty::Text]),
    ("if !@.is_empty() { @[0].push_str(&$); }", &[Ty::Text]),
];

const ARRAY: [Change; 3] = [
    ("@[i64::rem_euclid($, 3) as usize] = $;", &[Ty::Int, Ty::Int]),
    ("@[i64::rem_euclid($, 3) as usize] -= $;", &[Ty::Int, Ty::Int]),
    ("@[1] = $;", &[Ty::Int]),
];

const MAYBE: [Change; 3] = [
    ("note(@.take());", &[]),
    ("note(@.replace($));", &[Ty::Int]),
    ("*@.get_or_insert(1) += $;", &[Ty::Int]),
];

const SHAPE: [Change; 2] = [
    ("if let Shape::Rect(a, _) | Shape::Circle { radius: a } = &mut @ { *a += 1; }", &[]),
    ("note(std::mem::replace(&mut @, $));", &[Ty::Shape]),
];

const BOXED: [Change; 2] = [
    ("*@ = $;", &[Ty::Shape]),
    ("if let Shape::Named(text, _) = &mut *@ { text.push('!'); }", &[]),
];

const PAIR: [Change; 3] =
    [("@.0 = $;", &[Ty::Int]), ("@.0 += $;", &[Ty::Int]), ("@.1.push_str(&$);", &[Ty::Text])];

// That other methods leave what they are called on where it is, as `@.rename($)` and `@.take()` do, the
// compiler does not see: what is not used again may go early then.
const NOISY: [Change; 1] = [("@ = $;", &[Ty::Noisy])];

const NOISIES: [Change; 5] = [
    ("@.push($);", &[Ty::Noisy]),
    ("drop(@.pop());", &[]),
    ("@.truncate(1);", &[]),
    ("if !@.is_empty() { @.remove(0); }", &[]),
    ("if !@.is_empty() { @[0] = $; }", &[Ty::Noisy]),
];

const MAYBE_NOISY: [Change; 2] = [("@ = None::<Noisy>;", &[]), ("@ = Some($);", &[Ty::Noisy])];

const DUO: [Change; 2] = [("@.0 = $;", &[Ty::Noisy]), ("@ = ($, $);", &[Ty::Noisy, Ty::Noisy])];

const CHANGES: [(Ty, &[Change]); 17] = [
    (Ty::List, &LIST),
    (Ty::List, &LIST),
    (Ty::List, &LIST),
    (Ty::Text, &TEXT),
    (Ty::Text, &TEXT),
    (Ty::Map, &MAP),
    (Ty::Order, &ORDER),
    (Ty::Texts, &TEXTS),
    (Ty::Array, &ARRAY),
    (Ty::Maybe, &MAYBE),
    (Ty::Shape, &SHAPE),
    (Ty::Boxed, &BOXED),
    (Ty::Pair, &PAIR),
    (Ty::Noisy, &NOISY),
    (Ty::Noisies, &NOISIES),
    (Ty::MaybeNoisy, &MAYBE_NOISY),
    (Ty::Duo, &DUO),
];

impl Generator {
    pub(super) fn assignment(&mut self) -> Node {
        let ty = self.some_type();
        let Some(index) = self.scope.find(ty, Use::Change, &mut self.rng) else {
            return self.change();
        };
        let name = self.scope.var(index).name.clone();
        let operators: &[&str] =
            if ty == Ty::Int { &["=", "+=", "-=", "^=", "|="] } else { &["="] };
        let operator = self.rng.pick(operators);
        // The value may be made from the old one, but must not leave it moved on its way out.
        let mark = self.scope.enter();
        if ty != Ty::Int || name.contains('.') {
            self.scope.hold(index, Hold::Shared);
        }
        let value = self.expr(ty);
        self.scope.release(mark);
        let read = self.read_before(index);
        Node::stmt(&format!("{read}{name} {operator} $;"), vec![value])
    }

    /// What reads a local before it is changed, if it must be read.
    fn read_before(&self, index: usize) -> String {
        let name = &self.scope.var(index).name;
        let read = || format!("note(format!(\"{{:?}}\", {name}));\n");
        self.scope.is_read_before(index).then(read).unwrap_or_default()
    }

    /// A change of a local in place.
    pub(super) fn change(&mut self) -> Node {
        for _ in 0..4 {
            let (ty, changes) = self.rng.pick(&CHANGES);
            let Some(index) = self.scope.find(ty, Use::Change, &mut self.rng) else { continue };
            let name = self.scope.var(index).name.clone();
            let (template, types) = self.rng.pick(changes);
            let read = self.read_before(index);
            let mark = self.scope.enter();
            self.scope.hold(index, Hold::Exclusive);
            let nodes = if template.starts_with("if ") {
                self.perhaps(|this| types.iter().map(|ty| this.operand(*ty)).collect())
            } else if template.ends_with("= $;") {
                // The right side is evaluated first.
                let (left, right) = types.split_at(types.len() - 1);
                let mut nodes: Vec<_> =
                    right.iter().chain(left).map(|ty| self.operand(*ty)).collect();
                nodes.rotate_left(1);
                nodes
            } else {
                types.iter().map(|ty| self.operand(*ty)).collect()
            };
            self.scope.release(mark);
            let template = if template == "@ = $;" {
                format!("{name} = $;")
            } else {
                template.replace('@', &name)
            };
            return Node::stmt(&(read + &template), nodes);
        }
        self.declaration()
    }

    /// A map of lists that are made where they are first needed.
    pub(super) fn gathering(&mut self) -> Node {
        let name = self.fresh();
        // What an entry would be left with by a jump could be told.
        let nodes = self.without_exit(|this| {
            [Ty::Text, Ty::Int, Ty::Text, Ty::Int].map(|ty| this.expr(ty)).to_vec()
        });
        let template = format!(
            "let mut {name} = BTreeMap::<String, Vec<i64>>::new();\n\
             {name}.entry($).or_default().push($);\n\
             {name}.entry($).or_insert_with(Vec::new).push($);\nnote({name});"
        );
        Node::stmt(&template, nodes)
    }

    pub(in crate::generate) fn operand(&mut self, ty: Ty) -> Node {
        if ty == Ty::Str { self.str_argument() } else { self.expr(ty) }
    }

    /// A local that is moved and given a new value.
    pub(super) fn move_and_refill(&mut self) -> Node {
        let types = [Ty::Text, Ty::List, Ty::Order, Ty::Shape, Ty::Noisy, Ty::Duo];
        let ty = self.rng.pick(&types);
        let Some(index) = self.scope.find(ty, Use::Refill, &mut self.rng) else {
            return self.declaration();
        };
        let name = self.scope.var(index).name.clone();
        let mark = self.scope.enter();
        self.scope.hold(index, Hold::Exclusive);
        let value = self.without_exit(|this| this.expr(ty));
        self.scope.release(mark);
        let moved = self.fresh();
        self.scope.declare(&moved, ty, false);
        Node::stmt(&format!("let {moved} = {name};\n{name} = $;"), vec![value])
    }

    /// A new value for a local, or a part of one, that has been moved.
    pub(super) fn refill(&mut self) -> Node {
        let Some(index) = self.scope.find_moved(&mut self.rng) else { return self.assignment() };
        let (name, ty) = (self.scope.var(index).name.clone(), self.scope.var(index).ty);
        // Where a block is left on the way it would be missing.
        let value = self.without_exit(|this| this.expr(ty));
        // It may have been moved on the way.
        if self.scope.is_assignable(index) {
            self.scope.assigned(index);
            return Node::stmt(&format!("{name} = $;"), vec![value]);
        }
        Node::stmt("note($);", vec![value])
    }
}
