//! A sign before a constant calls a function where its type says so, and is evaluated in its order.

use std::ops::{Neg, Not};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Money(i64);

impl Neg for Money {
    type Output = Money;

    fn neg(self) -> Money {
        note("neg");
        Money(-self.0)
    }
}

impl Not for Money {
    type Output = bool;

    fn not(self) -> bool {
        note("not");
        self.0 == 0
    }
}

const FEE: Money = Money(3);
const STEP: i64 = 2;

fn sum(of: Money, more: i64) -> i64 {
    of.0 + more
}

#[workflow]
async fn program(n: i64) -> (i64, bool, i64) {
    let a = sum(-FEE, note(act(n).await));
    let (b, c) = (-FEE, note(act(a).await));
    let d = (!FEE, note(act(c).await));
    let held = &-FEE;
    tick().await;
    let e = add(-STEP, act(held.0).await).await;
    (a + b.0 + c, d.0, e + add(-7, act(1).await).await)
}
