//! Texts, collections, and values made of others.

use crate::generate::scope::{Hold, Use};
use crate::generate::{Generator, Node, Question, Ty};

impl Generator {
    pub(super) fn text(&mut self) -> Node {
        let ty = Ty::Text;
        match self.rng.below(11) {
            0 | 1 => self.one_of(
                ty,
                &[
                    ("format!(\"{}-{}\", { $ }, $)", &[Ty::Int, ty]),
                    ("format!(\"{0}{b:?}{0}\", { $ }, b = $)", &[Ty::Int, ty]),
                    ("format!(\"{:>4}{:?}\", { $ }, $)", &[Ty::Int, Ty::Pair]),
                    ("format!(\"{:?}{:?}\", { $ }, $)", &[Ty::Shape, Ty::Map]),
                ],
            ),
            2 => {
                let kind = self.some_type();
                let index =
                    self.scope.find_where(kind, Use::Read, &mut self.rng, |var| var.is_ident());
                let Some(index) = index.filter(|_| kind.is_clone()) else { return self.leaf(ty) };
                self.scope.hold(index, Hold::Shared);
                let name = self.scope.var(index).name.clone();
                self.of(ty, &format!("format!(\"{{{name}:?}}:{{}}\", $)"), &[ty])
            }
            3 => self.one_of(
                ty,
                &[
                    ("($).to_string()", &[Ty::Int]),
                    ("$.to_string()", &[Ty::Char]),
                    ("($).to_owned()", &[Ty::Str]),
                    ("$.into_iter().collect::<String>()", &[Ty::Texts]),
                ],
            ),
            4 => self.one_of(
                ty,
                &[
                    ("$.unwrap_or_default()", &[Ty::MaybeText]),
                    ("$.unwrap_or($)", &[Ty::Fetched, ty]),
                    ("$.unwrap_or_else(|_| String::from(\"else\"))", &[Ty::Fetched]),
                ],
            ),
            5 => self.of(ty, "($ + $)", &[ty, Ty::Str]),
            6 => self.of(ty, "$.1", &[Ty::Pair]),
            7 => self.of(ty, "format!(\"{:?}\", $)", &[Ty::List]),
            8 => self
                .one_of(ty, &[("$.concat()", &[Ty::Texts]), ("$.join($)", &[Ty::Texts, Ty::Str])]),
            9 if self.may_exit && self.question == Question::Everything => {
                self.of(ty, "$?", &[Ty::Fetched])
            }
            _ => self.one_of(
                ty,
                &[
                    ("({ $ }.customer)", &[Ty::Order]),
                    ("(Line { sku: $, count: $ }).sku", &[ty, Ty::Int]),
                ],
            ),
        }
    }

    pub(super) fn list(&mut self) -> Node {
        let ty = Ty::List;
        if self.may_await && self.rng.chance(10) {
            if self.rng.chance(50) {
                return self.of(ty, "join_all($.into_iter().take(4).map(act)).await", &[ty]);
            }
            // A call is not something that can be held across an await.
            return self.without_await(|this| {
                this.of(ty, "join_all(vec![act($), act($), act($)]).await", &[Ty::Int; 3])
            });
        }
        self.one_of(
            ty,
            &[
                ("vec![$, $]", &[Ty::Int, Ty::Int]),
                ("vec![$, $]", &[Ty::Int, Ty::Int]),
                ("vec![$; 2]", &[Ty::Int]),
                ("$.into_iter().rev().map(|x| x % 50 + 1).collect::<Vec<i64>>()", &[ty]),
                ("{ let mut items = $; items.sort(); items.dedup(); items }", &[ty]),
                ("$.into_values().collect::<Vec<i64>>()", &[Ty::Map]),
                ("$.to_vec()", &[Ty::Array]),
                ("$.into_iter().map(|text| text.len() as i64).collect::<Vec<_>>()", &[Ty::Texts]),
            ],
        )
    }

    pub(super) fn texts(&mut self) -> Node {
        let ty = Ty::Texts;
        self.one_of(
            ty,
            &[
                ("vec![$, $]", &[Ty::Text, Ty::Text]),
                ("vec![$; 2]", &[Ty::Text]),
                ("$.into_iter().map(|x| x.to_string()).collect::<Vec<_>>()", &[Ty::List]),
                ("$.into_keys().collect::<Vec<_>>()", &[Ty::Map]),
                ("Vec::from([$])", &[Ty::Text]),
            ],
        )
    }

    pub(super) fn array(&mut self) -> Node {
        let ty = Ty::Array;
        self.one_of(
            ty,
            &[("[$, $, $]", &[Ty::Int; 3]), ("[$; 3]", &[Ty::Int]), ("$.map(|x| x ^ 1)", &[ty])],
        )
    }

    pub(super) fn maybe(&mut self) -> Node {
        let ty = Ty::Maybe;
        let may_fail = self.may_exit && self.may_await && self.question == Question::Everything;
        if may_fail && self.rng.chance(15) {
            return self.of(ty, "try_find($).await?", &[Ty::Int]);
        }
        if self.may_exit && self.question == Question::Options && self.rng.chance(25) {
            return self.one_of(ty, &[("Some($)?", &[ty]), ("$.map(Some)?", &[ty])]);
        }
        self.one_of(
            ty,
            &[
                ("Some($)", &[Ty::Int]),
                ("$.first().copied()", &[Ty::List]),
                ("$.ok()", &[Ty::Outcome]),
                ("($).then_some($)", &[Ty::Bool, Ty::Int]),
                ("$.and_then(|x| i64::checked_add(x, 1))", &[ty]),
                ("$.get($).copied()", &[Ty::Map, Ty::Str]),
                ("$.or($)", &[ty, ty]),
            ],
        )
    }

    pub(super) fn maybe_text(&mut self) -> Node {
        let ty = Ty::MaybeText;
        self.one_of(
            ty,
            &[
                ("Some($)", &[Ty::Text]),
                ("({ $ }).pop()", &[Ty::Texts]),
                ("$.ok()", &[Ty::Fetched]),
                ("$.map(|x| x.to_string())", &[Ty::Maybe]),
            ],
        )
    }

    pub(super) fn pair(&mut self) -> Node {
        self.one_of(
            Ty::Pair,
            &[
                ("($, $)", &[Ty::Int, Ty::Text]),
                ("($, $)", &[Ty::Int, Ty::Text]),
                ("{ let (b, a) = ($, $); (a, b) }", &[Ty::Text, Ty::Int]),
            ],
        )
    }

    pub(super) fn map(&mut self) -> Node {
        self.one_of(
            Ty::Map,
            &[
                ("BTreeMap::from([($, $)])", &[Ty::Text, Ty::Int]),
                ("BTreeMap::from([($, $), ($, $)])", &[Ty::Text, Ty::Int, Ty::Text, Ty::Int]),
                ("$.into_iter().zip(1_i64..).collect::<BTreeMap<_, _>>()", &[Ty::Texts]),
            ],
        )
    }

    pub(super) fn order(&mut self) -> Node {
        let ty = Ty::Order;
        self.one_of(
            ty,
            &[
                ("(Order { customer: $, id: $, ..$ })", &[Ty::Text, Ty::Int, ty]),
                (
                    "(Order { customer: $, lines: vec![Line { count: $, sku: $ }], id: $ })",
                    &[Ty::Text, Ty::Int, Ty::Text, Ty::Int],
                ),
            ],
        )
    }

    pub(super) fn shape(&mut self) -> Node {
        let ty = Ty::Shape;
        self.one_of(
            ty,
            &[
                ("(Shape::Circle { radius: $ })", &[Ty::Int]),
                ("Shape::Rect($, $)", &[Ty::Int, Ty::Int]),
                ("Shape::Named($, Box::new($))", &[Ty::Text, ty]),
                ("Shape::Named($, $)", &[Ty::Text, Ty::Boxed]),
                ("(*$)", &[Ty::Boxed]),
            ],
        )
    }

    pub(super) fn boxed(&mut self) -> Node {
        self.of(Ty::Boxed, "Box::new($)", &[Ty::Shape])
    }

    pub(super) fn outcome(&mut self) -> Node {
        let ty = Ty::Outcome;
        self.one_of(
            ty,
            &[
                ("Ok::<i64, ActivityError<Refused>>($)", &[Ty::Int]),
                ("Err::<i64, _>(ActivityError::Failed(Refused { code: $ }))", &[Ty::Int]),
                ("$.map(|x| x + 1)", &[ty]),
            ],
        )
    }

    pub(super) fn fetched(&mut self) -> Node {
        self.of(Ty::Fetched, "Ok::<String, ActivityError<ParseFailed>>($)", &[Ty::Text])
    }

    pub(super) fn failing(&mut self) -> Node {
        self.one_of(
            Ty::Failing,
            &[
                ("Ok::<i64, Error>($)", &[Ty::Int]),
                ("Err::<i64, _>(Error::msg($))", &[Ty::Text]),
                ("$.map_err(Error::from)", &[Ty::Outcome]),
            ],
        )
    }

    pub(super) fn noisy_value(&mut self) -> Node {
        let ty = Ty::Noisy;
        self.one_of(
            ty,
            &[
                ("Noisy::new($)", &[Ty::Text]),
                ("Noisy::new($)", &[Ty::Text]),
                ("$.unwrap_or_else(|| Noisy::new(\"else\"))", &[Ty::MaybeNoisy]),
                ("$.1", &[Ty::Duo]),
                ("$.0", &[Ty::Duo]),
                ("({ $ }).pop().unwrap_or($)", &[Ty::Noisies, ty]),
            ],
        )
    }

    pub(super) fn noisies(&mut self) -> Node {
        let ty = Ty::Noisies;
        self.one_of(
            ty,
            &[
                ("vec![$, $]", &[Ty::Noisy, Ty::Noisy]),
                ("Vec::from([$])", &[Ty::Noisy]),
                ("$.into_iter().rev().collect::<Vec<_>>()", &[ty]),
                ("$.into_iter().collect::<Vec<_>>()", &[Ty::MaybeNoisy]),
            ],
        )
    }

    pub(super) fn maybe_noisy(&mut self) -> Node {
        self.one_of(
            Ty::MaybeNoisy,
            &[
                ("Some($)", &[Ty::Noisy]),
                ("($).then(|| Noisy::new(\"then\"))", &[Ty::Bool]),
                ("({ $ }).pop()", &[Ty::Noisies]),
                ("$.filter(|noisy| noisy.name().len() > 7)", &[Ty::MaybeNoisy]),
            ],
        )
    }

    pub(super) fn duo(&mut self) -> Node {
        self.one_of(
            Ty::Duo,
            &[("($, $)", &[Ty::Noisy, Ty::Noisy]), ("{ let (b, a) = $; (a, b) }", &[Ty::Duo])],
        )
    }
}
