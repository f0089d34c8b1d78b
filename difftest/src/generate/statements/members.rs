//! Borrows from methods of the program's own types, and through guards and boxes.

use crate::generate::refusals::marker;
use crate::generate::{Generator, Node, Ty};

/// The types. Every program that names one of them has them all.
pub(in crate::generate) const ITEMS: &str = "\
use std::cell::RefCell;
use std::sync::Mutex;
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Member { karma: i64, name: String }
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Room { members: Vec<Member>, chair: Box<Member>, seats: std::ops::Range<i64>, meter: Meter }
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Meter { count: i64 }
impl Meter {
fn raise(&mut self, by: i64) { self.count ^= by; }
fn raised(&mut self, by: i64) -> i64 { self.raise(by); self.count }
}
impl Member {
fn raise(&mut self, by: i64) { self.karma ^= by; }
fn raised(mut self, by: i64) -> Self { self.karma ^= by; self }
}
pub struct Lease<'a>(&'a mut Member);
impl std::ops::Deref for Lease<'_> {
type Target = Member;
fn deref(&self) -> &Member { self.0 }
}
impl std::ops::DerefMut for Lease<'_> {
fn deref_mut(&mut self) -> &mut Member { self.0 }
}
impl Room {
fn new(a: i64, name: String) -> Self {
let one = Member { karma: a, name };
let two = Member { karma: 4, name: String::from(\"two\") };
Self { members: vec![one.clone(), two], chair: Box::new(one), seats: 0..3, meter: Meter { count: 2 } }
}
fn member(&mut self, id: i64) -> &mut Member { &mut self.members[i64::rem_euclid(id, 2) as usize] }
fn peek(&self, id: i64) -> &Member { &self.members[i64::rem_euclid(id, 2) as usize] }
fn find(&mut self, id: i64) -> Option<&mut Member> { self.members.get_mut(i64::rem_euclid(id, 3) as usize) }
fn karma(&mut self) -> &mut i64 { &mut self.chair.karma }
fn chair(&mut self) -> &mut Box<Member> { &mut self.chair }
fn lease(&mut self, id: i64) -> Lease<'_> { Lease(self.member(id)) }
fn all(&mut self) -> &mut [Member] { &mut self.members }
fn both(&mut self) -> (&mut Member, &mut i64) { (&mut self.members[0], &mut self.seats.end) }
}
";

/// Uses of a room `~`, with new names `#` and `%`, and what each `$` is.
type Form = (&'static str, &'static [Ty]);

/// Where nothing that is lent is held across an await, or nothing but what rustc's own collections lend.
const FORMS: [Form; 39] = [
    ("~.meter.raise($);", &[Ty::Int]),
    ("~.meter.raise(act(~.meter.count).await);", &[]),
    ("~.meter.raise(async move { act(~.seats.end).await }.await);", &[]),
    ("~.meter.raise(async { act(~.seats.end).await }.await);", &[]),
    ("~.chair.raise(act(~.chair.karma).await);", &[]),
    ("~.chair.raise(async move { act(~.meter.count).await }.await);", &[]),
    ("~.members[0].raise($);", &[Ty::Int]),
    (
        "~.chair.name.push_str(&async move { fetch(\"c\").await.repeat(~.seats.end as usize) }.await);",
        &[],
    ),
    ("let # = &mut ~.meter;\n#.raise(act(#.count).await);\nnote(#.raised($));", &[Ty::Int]),
    ("~.meter = Meter { count: $, ..~.meter };", &[Ty::Int]),
    ("let # = ~.meter;\n~.meter.raise($);\nnote((#.count, ~.meter.count));", &[Ty::Int]),
    ("let mut # = ~.meter;\nnote((#.count, #.raised($), #.count));", &[Ty::Int]),
    ("note((~.meter.count, ~.meter.raised(act(4).await), ~.meter.count));", &[]),
    ("*~.chair = std::mem::take(&mut *~.chair).raised($);", &[Ty::Int]),
    ("(~.seats.start, ~.meter.count) = (~.meter.count & 1, act(~.seats.start).await);", &[]),
    ("let # = ~.member($).karma;\nlet % = act(#).await;\n~.member(1).karma = %;", &[Ty::Int]),
    ("let # = $;\n~.member(#).karma = act(~.peek(#).karma).await;", &[Ty::Int]),
    ("{\nlet # = ~.member($);\n#.karma += 1;\nnote(#.karma);\n}\ntick().await;", &[Ty::Int]),
    ("let % = $;\nlet # = ~.member(%);\n#.karma = %;\n#.name.push('x');", &[Ty::Int]),
    ("~.member(1).karma |= $;", &[Ty::Int]),
    ("~.member(0).name = $;", &[Ty::Text]),
    ("*~.karma() = $;", &[Ty::Int]),
    ("~.chair.karma = act(~.chair.karma).await;", &[]),
    ("let # = &mut ~.chair;\n#.karma = act(#.karma).await;\n#.name = $;", &[Ty::Text]),
    ("let # = &mut ~.chair.karma;\n*# = act(*#).await;", &[]),
    ("let # = &mut *~.chair;\n#.karma = act(#.karma).await;", &[]),
    ("let # = &mut ~.members[1];\n#.karma = act(#.karma).await;\nnote(&#.name);", &[]),
    ("if let Some(#) = ~.members.last_mut() {\nlet % = #.karma;\n#.karma = act(%).await;\n}", &[]),
    (
        "for # in &mut ~.members {\nlet % = #.karma;\n#.karma = act(%).await;\n#.name.push('y');\n}",
        &[],
    ),
    ("let mut # = ~.lease($);\n#.karma += 5;\ndrop(#);\ntick().await;", &[Ty::Int]),
    ("let # = { let % = ~.lease(0); %.karma };\n~.lease(1).karma = act(#).await;", &[]),
    (
        "let mut # = std::mem::take(~.member($));\n#.karma = act(#.karma).await;\n*~.member(1) = #;",
        &[Ty::Int],
    ),
    (
        "let # = RefCell::new(~.peek(0).clone());\n{\nlet mut % = #.borrow_mut();\n%.karma += 3;\n}\n\
         tick().await;\n#.borrow_mut().name = $;\nnote(#.borrow().karma);\nnote(#.into_inner());",
        &[Ty::Text],
    ),
    (
        "let # = Mutex::new(~.peek(1).clone());\n{\nlet mut % = #.lock().unwrap();\n%.karma += 3;\n}\n\
         tick().await;\nlet % = #.lock().unwrap().karma;\nnote(act(%).await);\nnote(#.into_inner().unwrap());",
        &[],
    ),
    (
        "while let Some(#) = ~.seats.next() {\n~.member(#).karma = act(#).await;\n}\nnote(~.seats.next());",
        &[],
    ),
    ("let # = ~.peek($).clone();\nnote(act(#.karma).await);\nnote(#.name);", &[Ty::Int]),
    ("let Member { karma: #, name: % } = ~.peek(0).clone();\nnote(act(#).await);\nnote(%);", &[]),
    ("note(add(~.peek(0).karma, $).await);", &[Ty::Int]),
    (
        "match ~.find(2) {\nSome(#) => #.karma = 1,\nNone => ~.member(0).karma = act(6).await,\n}",
        &[],
    ),
];

/// Where something that a method of one's own lends is held across an await. `^` is where that may be refused.
const REFUSABLE: [Form; 25] = [
    ("^~.member(1).raise(act($).await);", &[Ty::Int]),
    ("^~.chair().name.push_str(&fetch(\"b\").await);", &[]),
    ("^~.find(0).unwrap().raise(act(3).await);", &[]),
    ("^let # = ~.member($);\n#.karma = act(#.karma).await;", &[Ty::Int]),
    ("^let # = ~.member(1);\nlet % = #.karma;\ntick().await;\n#.karma = % + 1;", &[]),
    ("^let # = ~.member(0);\n#.karma = act($).await;\nnote(&#.name);", &[Ty::Int]),
    ("^let # = ~.member(0);\n#.name.push('a');\ntick().await;\n#.name.push('b');", &[]),
    ("^let #: &mut Member = ~.member(0);\n#.karma = 1;\n#.name = fetch(\"name\").await;", &[]),
    ("^let mut # = ~.lease($);\n#.karma = act(#.karma).await;", &[Ty::Int]),
    ("^let mut # = ~.lease(1);\nlet % = #.karma;\ntick().await;\n#.karma = %;", &[]),
    ("^let # = ~.find(1).unwrap();\n#.karma = act(#.karma).await;", &[]),
    ("^if let Some(#) = ~.find($) {\nlet % = #.karma;\n#.karma = act(%).await;\n}", &[Ty::Int]),
    ("match ~.find(0) {\n^Some(#) => {\n#.karma = act(#.karma).await;\n}\nNone => {}\n}", &[]),
    ("^let (#, %) = ~.both();\n#.karma = act(*%).await;\n*% = #.karma;", &[]),
    ("^let # = ~.karma();\n*# = act(*#).await;", &[]),
    ("^let # = ~.chair();\n#.karma = act(#.karma).await;\nnote(&#.name);", &[]),
    ("^let # = &mut ~.chair().karma;\n*# = act(*#).await;", &[]),
    ("^let # = ~.chair.as_mut();\n#.karma = act(#.karma).await;", &[]),
    ("^let Member { karma: #, name: % } = ~.member(1);\n*# = act(*#).await;\n%.push('c');", &[]),
    ("^for # in ~.all() {\nlet % = #.karma;\n#.karma = act(%).await;\n}", &[]),
    ("^for # in ~.all().iter_mut() {\n#.karma = act(#.karma).await;\n}", &[]),
    ("^let # = &mut ~.all()[0];\n#.karma = act(#.karma).await;", &[]),
    (
        "let % = RefCell::new($);\n^let mut # = %.borrow_mut();\n*# = act(*#).await;\ndrop(#);\nnote(%.into_inner());",
        &[Ty::Int],
    ),
    (
        "let % = Mutex::new((1, 2));\n^let mut # = %.lock().unwrap();\n#.0 = act(#.1).await;\ndrop(#);\nnote(%.into_inner().unwrap());",
        &[],
    ),
    ("^let # = ~.peek($);\nnote(act(#.karma).await);\nnote(&#.name);", &[Ty::Int]),
];

impl Generator {
    /// A room, the borrows that its methods return, and its final value.
    pub(super) fn members(&mut self) -> Node {
        let (room, a, b) = (self.fresh(), self.fresh(), self.fresh());
        let is_refusable = self.may_be_refused && self.rng.chance(50);
        let (form, types) =
            if is_refusable { self.rng.pick(&REFUSABLE) } else { self.rng.pick(&FORMS) };
        let mut nodes = vec![self.expr(Ty::Int), self.expr(Ty::Text), self.body(2)];
        // What a method has lent is given up where control leaves.
        nodes.extend(types.iter().map(|ty| self.operand(*ty)));
        nodes.push(self.body(2));
        let form = form.replace('^', marker(is_refusable));
        let template =
            format!("let mut ~ = Room::new($, $);\n{{\n$}}\n{{\n{form}\n}}\n{{\n$}}\nnote(~);");
        let template = template.replace('~', &room).replace('#', &a).replace('%', &b);
        Node::stmt(&template, nodes)
    }
}
