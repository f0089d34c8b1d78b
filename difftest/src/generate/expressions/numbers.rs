//! Numbers, truth values and characters.

use crate::generate::{Generator, Node, Question, Ty};

impl Generator {
    pub(super) fn int(&mut self) -> Node {
        let ty = Ty::Int;
        match self.rng.below(23) {
            0..=2 => {
                let operator = self.rng.pick(&["+", "-", "^", "|", "&"]);
                self.of(ty, &format!("($ {operator} $)"), &[ty, ty])
            }
            3 => self.one_of(
                ty,
                &[
                    ("(($ % 100) * ($ % 10))", &[ty, ty]),
                    ("(($ & 7) << ($ & 3))", &[ty, ty]),
                    ("-($)", &[ty]),
                    ("!($)", &[ty]),
                    // A number alone at the end of a block would be an `i32` by the cast.
                    ("(($ ^ 0) as i32 as i64)", &[ty]),
                    ("((($ % 50) as f64 * 1.5) as i64)", &[ty]),
                ],
            ),
            4 => self.one_of(
                ty,
                &[
                    ("($.len() as i64)", &[Ty::Text]),
                    ("($ as i64)", &[Ty::Char]),
                    ("(($ as u8) as i64)", &[Ty::Char]),
                    ("i64::from($)", &[Ty::Bool]),
                ],
            ),
            5 => self.one_of(
                ty,
                &[
                    ("$.into_iter().sum::<i64>()", &[Ty::List]),
                    ("$.iter().max().copied().unwrap_or($)", &[Ty::List, ty]),
                    ("$.into_values().sum::<i64>()", &[Ty::Map]),
                    ("(0..($ & 7)).sum::<i64>()", &[ty]),
                    ("(($ % 9)..=($ % 12)).rev().take(2).fold(0, |a, b| a + b)", &[ty, ty]),
                ],
            ),
            6 => self.one_of(
                ty,
                &[
                    ("$.unwrap_or($)", &[Ty::Maybe, ty]),
                    ("$.unwrap_or($)", &[Ty::Outcome, ty]),
                    ("$.unwrap_or($)", &[Ty::Failing, ty]),
                    ("$.map_or($, |text| text.len() as i64)", &[Ty::MaybeText, ty]),
                ],
            ),
            7 => self.one_of(
                ty,
                &[
                    ("[$, $][i64::rem_euclid($, 2) as usize]", &[ty, ty, ty]),
                    ("({ $ })[i64::rem_euclid($, 3) as usize]", &[Ty::Array, ty]),
                    ("({ $ })[1]", &[Ty::Array]),
                    ("$.iter().sum::<i64>()", &[Ty::Array]),
                ],
            ),
            8 => self.of(ty, "$.0", &[Ty::Pair]),
            9 => {
                let field = self.rng.pick(&["id", "lines.len() as i64"]);
                self.of(ty, &format!("({{ $ }}.{field})"), &[Ty::Order])
            }
            10 => {
                let method = self.rng.pick(&["max", "min", "wrapping_add"]);
                self.of(ty, &format!("i64::{method}($, $)"), &[ty, ty])
            }
            11 | 12 if self.may_exit => match self.question {
                Question::Outcomes => {
                    self.one_of(ty, &[("$?", &[Ty::Outcome]), ("($? + $)", &[Ty::Outcome, ty])])
                }
                Question::Options => {
                    self.one_of(ty, &[("$?", &[Ty::Maybe]), ("($? ^ $)", &[Ty::Maybe, ty])])
                }
                Question::Everything => self.one_of(
                    ty,
                    &[
                        ("$?", &[Ty::Outcome]),
                        ("$?", &[Ty::Failing]),
                        ("($? - $)", &[Ty::Failing, ty]),
                        ("($?.len() as i64)", &[Ty::Fetched]),
                    ],
                ),
                Question::Nothing => self.leaf(ty),
            },
            13 | 14 => self.closure(),
            15 => {
                if let Some(name) = self.borrowed(Ty::List) {
                    let template = self.rng.pick(&[
                        "@.get(i64::rem_euclid($, 3) as usize).copied().unwrap_or(1)",
                        "@[..i64::rem_euclid($, @.len() as i64 + 1) as usize].len() as i64",
                        "@.iter().filter(|x| **x > 3).count() as i64 + $",
                    ]);
                    return self.of(ty, &format!("({})", template.replace('@', &name)), &[ty]);
                }
                self.leaf(ty)
            }
            16 => {
                if let Some(name) = self.borrowed(Ty::Map) {
                    return Node::expr(ty, &format!("{name}.values().sum::<i64>()"), vec![]);
                }
                self.leaf(ty)
            }
            17 if !self.scope.is_quiet() => {
                if let Some(name) = self.borrowed(Ty::Noisy) {
                    // That a method leaves a value where it is the compiler does not see, so one whose
                    // last use it is may go early, as parts may.
                    let is_part = name.contains('.');
                    let look = if is_part { "@.name()" } else { "format!(\"{:?}\", @)" };
                    let look = look.replace('@', &name);
                    return self.of(ty, &format!("({look}.len() as i64 + $)"), &[ty]);
                }
                self.of(ty, "($.len() as i64)", &[Ty::Noisies])
            }
            18 => self.changed_operand(ty),
            _ => self.of(ty, "(Line { count: $, sku: $ }).count", &[ty, Ty::Text]),
        }
    }

    pub(super) fn bool(&mut self) -> Node {
        let ty = Ty::Bool;
        match self.rng.below(10) {
            9 => self.changed_operand(ty),
            0..=2 => {
                let operator = self.rng.pick(&["<", ">", "==", "<=", "!="]);
                self.of(ty, &format!("(($) {operator} ($))"), &[Ty::Int, Ty::Int])
            }
            3 | 4 => {
                let operator = self.rng.pick(&["&&", "||"]);
                let a = self.expr(ty);
                let b = self.perhaps(|this| this.expr(ty));
                Node::expr(ty, &format!("($ {operator} $)"), vec![a, b])
            }
            5 => self.of(ty, "!($)", &[ty]),
            6 => {
                let pattern = self.rng.pick(&[
                    "Shape::Circle { radius } | Shape::Rect(radius, _) if radius > 9",
                    "Shape::Point",
                    "Shape::Circle { .. }",
                    "Shape::Rect(2..=5, _) | Shape::Point",
                    "Shape::Circle { radius } if radius > 2",
                    "Shape::Named(name, inner) if name.len() > 2 && *inner == Shape::Point",
                ]);
                self.of(ty, &format!("matches!($, {pattern})"), &[Ty::Shape])
            }
            7 => self.one_of(
                ty,
                &[
                    ("$.is_some()", &[Ty::MaybeText]),
                    ("$.is_none()", &[Ty::Maybe]),
                    ("$.is_ok()", &[Ty::Fetched]),
                    ("($..=$).contains(&($))", &[Ty::Int, Ty::Int, Ty::Int]),
                    ("$.is_alphabetic()", &[Ty::Char]),
                    ("$.contains_key($)", &[Ty::Map, Ty::Str]),
                    ("($ & $)", &[ty, ty]),
                ],
            ),
            _ => {
                let (operator, compared) = self.rng.pick(&[
                    ("==", Ty::Text),
                    ("<", Ty::Texts),
                    ("!=", Ty::Shape),
                    ("==", Ty::Array),
                ]);
                let (left, right) = (self.expr(compared), self.expr(compared));
                // A local on the left would be borrowed while the right side may change it.
                let left_side = if left.is_path() { "{ $ }" } else { "$" };
                Node::expr(ty, &format!("({left_side} {operator} $)"), vec![left, right])
            }
        }
    }

    pub(super) fn char(&mut self) -> Node {
        self.one_of(
            Ty::Char,
            &[
                ("((97 + i64::rem_euclid($, 26)) as u8 as char)", &[Ty::Int]),
                ("$.chars().next().unwrap_or($)", &[Ty::Text, Ty::Char]),
                ("$.to_ascii_uppercase()", &[Ty::Char]),
            ],
        )
    }
}
