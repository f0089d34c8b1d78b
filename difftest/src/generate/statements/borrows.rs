//! Borrows of locals that are used across awaits.

use crate::generate::refusals::marker;
use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Question, Ty};

/// What is borrowed of a local of a type.
#[derive(Clone, Copy)]
struct Part {
    /// The type of the local.
    of: Ty,
    mutable: bool,
    /// `@` is the local, each `$` an expression of the type beside it, and `~` what leaves if it is not there.
    template: &'static str,
    types: &'static [Ty],
    /// What is behind the borrow; of `Str`, the borrow itself.
    gives: Ty,
}

impl Part {
    /// Whether it is one part of a pair that a method returns.
    fn is_of_pair(&self) -> bool {
        self.template.contains("split_once")
    }
}

const PARTS: [Part; 14] = [
    Part {
        of: Ty::Array,
        mutable: true,
        template: "&mut @[i64::rem_euclid($, 3) as usize]",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Array,
        mutable: false,
        template: "&@[i64::rem_euclid($, 3) as usize]",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::List,
        mutable: false,
        template: "@.get(i64::rem_euclid($, 3) as usize).unwrap_or(&7)",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Map,
        mutable: false,
        template: "@.get(&*$).unwrap_or(&0)",
        types: &[Ty::Text],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Map,
        mutable: true,
        template: "@.entry($).or_insert($)",
        types: &[Ty::Text, Ty::Int],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Texts,
        mutable: false,
        template: "@.get(i64::rem_euclid($, 3) as usize).map(|text| text.as_str()).unwrap_or(\"none\")",
        types: &[Ty::Int],
        gives: Ty::Str,
    },
    Part {
        of: Ty::Text,
        mutable: false,
        template: "@.split('e').nth(i64::rem_euclid($, 3) as usize).unwrap_or(\"none\")",
        types: &[Ty::Int],
        gives: Ty::Str,
    },
    Part {
        of: Ty::List,
        mutable: false,
        template: "@.iter().max_by_key(|x| **x % 7)~",
        types: &[],
        gives: Ty::Int,
    },
    Part { of: Ty::List, mutable: true, template: "@.last_mut()~", types: &[], gives: Ty::Int },
    Part {
        of: Ty::Map,
        mutable: true,
        template: "@.get_mut(&*$)~",
        types: &[Ty::Text],
        gives: Ty::Int,
    },
    Part {
        of: Ty::Order,
        mutable: false,
        template: "&@.lines.get(i64::rem_euclid($, 2) as usize)~.sku",
        types: &[Ty::Int],
        gives: Ty::Text,
    },
    Part {
        of: Ty::Text,
        mutable: false,
        template: "@.split_once('e')~.0",
        types: &[],
        gives: Ty::Str,
    },
    Part {
        of: Ty::MaybeText,
        mutable: true,
        template: "@.get_or_insert_with(String::new)",
        types: &[],
        gives: Ty::Text,
    },
    Part {
        of: Ty::Maybe,
        mutable: true,
        template: "@.get_or_insert($)",
        types: &[Ty::Int],
        gives: Ty::Int,
    },
];

/// How one of two borrows is chosen, `@` or `~`; `#` is a new name.
type Choice = (&'static str, Ty);

const CHOICES: [Choice; 5] = [
    ("if $ { @ } else { ~ }", Ty::Bool),
    ("{ let # = $; if # > 5 { @ } else { ~ } }", Ty::Int),
    ("if $ { tick().await; @ } else { ~ }", Ty::Bool),
    ("match $ { 0..=20 => @, # if # % 2 == 0 => ~, _ => @ }", Ty::Int),
    ("match $ { true => @, false => { tick().await; ~ } }", Ty::Bool),
];

impl Generator {
    /// A borrow of a part of a local, which is used until the end of the block. What it is asked for may be
    /// anything.
    fn kept_part(&mut self) -> Option<Node> {
        let way_out = self.way_out();
        let is_possible = |part: &Part| {
            (way_out.is_some() || !part.template.contains('~'))
                && (self.may_be_refused || !part.is_of_pair())
        };
        let possible: Vec<Part> = PARTS.into_iter().filter(is_possible).collect();
        let (part, local) = self.lender_for(&possible, |part| (part.of, part.mutable))?;
        let nodes = part.types.iter().map(|ty| self.operand(*ty)).collect();
        let name = self.fresh();
        match part.gives {
            Ty::Str => self.scope.declare(&name, Ty::Str, false),
            gives => self.scope.declare_borrowed(&format!("(*{name})"), gives, part.mutable),
        }
        let value = part.template.replace('@', &local).replace('~', way_out.unwrap_or_default());
        let marker = marker(part.is_of_pair());
        Some(Node::stmt(&format!("{marker}let {name} = {value};"), nodes))
    }

    /// What leaves the function if an `Option` is `None`.
    fn way_out(&self) -> Option<&'static str> {
        match self.question {
            _ if !self.may_exit => None,
            Question::Options => Some("?"),
            Question::Everything => Some(".ok_or(Error::msg(\"nothing there\"))?"),
            Question::Outcomes => Some(".ok_or(ActivityError::Failed(Refused { code: 4 }))?"),
            Question::Nothing => None,
        }
    }

    /// One of two borrows, which is used until the end of the block.
    fn chosen_borrow(&mut self) -> Option<Node> {
        let mutable = self.rng.chance(30);
        let ty = self.rng.pick(&[Ty::Text, Ty::Text, Ty::List, Ty::Order, Ty::Shape, Ty::Int]);
        let (template, chosen_by) = self.rng.pick(&CHOICES);
        if template.contains(".await") && !self.may_await {
            return None;
        }
        let first = self.lender(ty, mutable)?;
        let second = self.lender(ty, mutable).unwrap_or_else(|| first.clone());
        let nodes = vec![self.expr(chosen_by)];
        let name = self.fresh();
        let (first, second) = if ty == Ty::Text && !mutable && self.rng.chance(40) {
            self.scope.declare(&name, Ty::Str, false);
            (format!("{first}.as_str()"), format!("{second}.trim()"))
        } else {
            self.scope.declare_borrowed(&format!("(*{name})"), ty, mutable);
            let borrow = if mutable { "&mut " } else { "&" };
            (format!("{borrow}{first}"), format!("{borrow}{second}"))
        };
        let value = template.replace('#', &self.fresh()).replace('@', &first).replace('~', &second);
        Some(Node::stmt(&format!("let {name} = {value};"), nodes))
    }

    /// A value that is made to be borrowed. A local would be borrowed itself.
    pub(super) fn made(&mut self, ty: Ty) -> Node {
        let value = self.expr(ty);
        if value.is_path() { Node::expr(ty, "{ $ }", vec![value]) } else { value }
    }

    /// A borrow of a local that is used until the end of the block.
    pub(super) fn kept_borrow(&mut self) -> Node {
        if self.rng.chance(50)
            && let Some(node) = self.kept_part()
        {
            return node;
        }
        if self.rng.chance(30)
            && let Some(node) = self.chosen_borrow()
        {
            return node;
        }
        let name = self.fresh();
        let ty = self.rng.pick(&[
            Ty::Text,
            Ty::Text,
            Ty::List,
            Ty::Texts,
            Ty::Map,
            Ty::Order,
            Ty::Shape,
            Ty::Int,
        ]);
        let mutable = self.rng.chance(40);
        if self.rng.chance(20) {
            // A value that nothing else holds.
            let value = self.made(ty);
            let borrow = if mutable { "&mut " } else { "&" };
            self.scope.declare_borrowed(&format!("(*{name})"), ty, mutable);
            return Node::stmt(&format!("let {name} = {borrow}$;"), vec![value]);
        }
        let usage = if mutable { Use::Change } else { Use::Read };
        // What is behind a reference is borrowed from where that came from.
        let index = self.scope.find_where(ty, usage, &mut self.rng, |var| var.is_place());
        let Some(index) = index else {
            self.scope.declare(&name, Ty::Str, false);
            let template = self.rng.pick(&["\"kept\"", "concat!(\"a\", 1)", "stringify!(kept)"]);
            return Node::stmt(&format!("let {name} = {template};"), vec![]);
        };
        let borrowed = self.scope.var(index).name.clone();
        self.scope.hold(index, if mutable { Hold::Exclusive } else { Hold::Shared });
        if mutable {
            self.scope.declare_borrowed(&format!("(*{name})"), ty, true);
            return Node::stmt(&format!("let {name} = &mut {borrowed};"), vec![]);
        }
        if ty == Ty::Text && self.rng.chance(50) {
            self.scope.declare(&name, Ty::Str, false);
            return Node::stmt(&format!("let {name}: &str = &{borrowed};"), vec![]);
        }
        self.scope.declare_borrowed(&format!("(*{name})"), ty, false);
        Node::stmt(&format!("let {name} = &{borrowed};"), vec![])
    }
}
