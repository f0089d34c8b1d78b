//! Books that add up pass, and every way of cooking them is found.

use super::*;
use crate::orders::gateway::{Effect, StockLevel};
use crate::orders::order::Item;

/// One completed order `A` and one expired order `B`, each of two pieces of one article.
struct Shop {
    input: Input,
    runs: Vec<Run>,
    audit: Audit,
}

fn order(id: &str) -> Order {
    Order {
        id: id.into(),
        customer: "Ada Kim".into(),
        card: "visa-1".into(),
        items: vec![Item { sku: "HAMMER".into(), quantity: 2, unit_cents: 100 }],
    }
}

fn run(order_id: &str, outcome: Outcome) -> Run {
    Run {
        run_id: format!("run-{order_id}"),
        order_id: order_id.into(),
        steps: 5,
        standing: Standing::Ended(outcome),
    }
}

impl Shop {
    fn new() -> Self {
        let mut shop = Self {
            input: Input {
                orders: vec![order("A"), order("B")],
                broken: Vec::new(),
                left_out: vec!["C".into()],
            },
            runs: vec![run("A", Outcome::Completed { parcel_id: 5 }), run("B", Outcome::Expired)],
            audit: Audit {
                stock: vec![StockLevel { sku: "HAMMER".into(), initial: 10, available: 8 }],
                ..Audit::default()
            },
        };
        let reserve = || EffectKind::Reserve { sku: "HAMMER".into(), quantity: 2 };
        shop.happens("A", EffectKind::Charge { cents: 200 });
        shop.happens("B", EffectKind::Charge { cents: 200 });
        shop.happens("A", reserve());
        shop.happens("B", reserve());
        shop.happens("A", EffectKind::Ship);
        shop.happens("B", EffectKind::Release { reservation_id: 4 });
        shop.happens("B", EffectKind::Refund { charge_id: 2, cents: 200 });
        shop
    }

    fn happens(&mut self, order_id: &str, kind: EffectKind) {
        let id = self.audit.effects.len() as i64 + 1;
        let key = format!("run-{order_id}/{id}");
        self.audit.effects.push(Effect { id, key, order_id: order_id.into(), kind });
    }

    fn violations(&self) -> Vec<String> {
        let checks = check(&self.input, &self.runs, &self.audit);
        checks.into_iter().flat_map(|check| check.violations).collect()
    }
}

#[test]
fn books_that_add_up_pass_every_rule() {
    let shop = Shop::new();
    assert_eq!(shop.violations(), [""; 0]);
    let checks = check(&shop.input, &shop.runs, &shop.audit);
    let idle: Vec<_> = checks.iter().filter(|check| check.examined == 0).collect();
    assert_eq!(idle.len(), 1, "only the rule on declined orders has nothing to look at");
}

#[test]
fn unfinished_orders_are_found() {
    let mut shop = Shop::new();
    shop.runs[1].standing = Standing::Waiting;
    assert_eq!(shop.violations(), ["B: is unfinished"]);
    shop.runs.remove(1);
    assert!(shop.violations().contains(&"B: has not been started".into()));
}

#[test]
fn a_second_charge_is_found() {
    let mut shop = Shop::new();
    shop.happens("A", EffectKind::Charge { cents: 200 });
    assert_eq!(shop.violations(), ["A: is charged 2 times"]);
}

#[test]
fn a_wrong_amount_is_found() {
    let mut shop = Shop::new();
    shop.audit.effects[0].kind = EffectKind::Charge { cents: 100 };
    assert_eq!(shop.violations(), ["A: is charged 100 cents where 200 are due"]);
}

#[test]
fn money_kept_or_given_back_twice_is_found() {
    let mut shop = Shop::new();
    shop.happens("B", EffectKind::Refund { charge_id: 2, cents: 200 });
    assert_eq!(shop.violations(), ["B: 1 charges and 2 refunds do not match"]);
    shop.audit.effects.truncate(6);
    assert_eq!(shop.violations(), ["B: 1 charges and 0 refunds do not match"]);
}

#[test]
fn goods_kept_aside_are_found() {
    let mut shop = Shop::new();
    shop.audit.effects.remove(5);
    assert_eq!(
        shop.violations(),
        [
            "B: 1 reservations and 0 releases do not match",
            "HAMMER: 8 left of 10 after 4 were taken"
        ]
    );
}

#[test]
fn parcels_too_many_or_too_few_are_found() {
    let mut shop = Shop::new();
    shop.happens("B", EffectKind::Ship);
    assert_eq!(shop.violations(), ["B: has 1 parcels"]);
    shop.audit.effects.truncate(7);
    shop.audit.effects.remove(4);
    assert_eq!(shop.violations(), ["A: has 0 parcels"]);
}

#[test]
fn a_declined_order_with_a_charge_is_found() {
    let mut shop = Shop::new();
    shop.runs[1] = run("B", Outcome::Declined { reason: "insufficient funds".into() });
    assert_eq!(shop.violations(), ["B: is charged 1 times"]);
}

#[test]
fn effects_for_broken_lines_and_strangers_are_found() {
    let mut shop = Shop::new();
    shop.happens("C", EffectKind::Charge { cents: 200 });
    assert_eq!(shop.violations(), ["C: has effects", "C: effect 8 has the stray key `run-C/8`"]);
}

#[test]
fn a_completed_order_without_its_goods_is_found() {
    let mut shop = Shop::new();
    shop.audit.effects[2].kind = EffectKind::Reserve { sku: "HAMMER".into(), quantity: 1 };
    assert_eq!(
        shop.violations(),
        [
            "A: has [(\"HAMMER\", 1)] reserved where [(\"HAMMER\", 2)] are due",
            "HAMMER: 8 left of 10 after 1 were taken"
        ]
    );
}
