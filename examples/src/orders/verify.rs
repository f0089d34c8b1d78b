//! Checks the gateway's books against the runs and the input.
//!
//! Everything here is a function of the data that was read before; the checks do no I/O. The rules are what the shop
//! owes its customers, whatever crashed in between: a completed order is paid and shipped once, any other gets its
//! money back, and nobody else is touched.

use std::collections::{BTreeMap, HashMap};

use super::gateway::{Audit, EffectKind};
use super::input::Input;
use super::order::{Order, Outcome};
use super::runs::{Run, Standing};

/// One rule and how it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The rule.
    pub rule: &'static str,
    /// How many things it was applied to.
    pub examined: usize,
    /// Where it does not hold, for people.
    pub violations: Vec<String>,
}

/// Applies every rule.
pub fn check(input: &Input, runs: &[Run], audit: &Audit) -> Vec<Check> {
    let books = Books::new(input, runs, audit);
    let completed = || runs.iter().filter(|run| is_completed(run));
    let given_up = || runs.iter().filter(|run| !run.is_open() && !is_completed(run));
    let declined = || runs.iter().filter(|run| is_declined(run));
    vec![
        rule("an order has one run, and it is closed", &input.orders, |order| books.closed(order)),
        rule("a completed order is charged once, in full", completed(), |run| books.paid(run)),
        rule("a completed order has its items reserved", completed(), |run| books.reserved(run)),
        rule("a completed order is shipped once", completed(), |run| books.shipped(run, 1)),
        rule("a declined order is not charged", declined(), |run| books.not_charged(run)),
        rule("an order not completed has its charge refunded", given_up(), |run| {
            books.refunded(run)
        }),
        rule("an order not completed has its items released", given_up(), |run| {
            books.released(run)
        }),
        rule("an order not completed is not shipped", given_up(), |run| books.shipped(run, 0)),
        rule("an order with a broken line is not touched", &input.left_out, |id| {
            books.accounts.contains_key(id.as_str()).then(|| format!("{id}: has effects"))
        }),
        rule("an effect belongs to a run of its order", &audit.effects, |effect| {
            let (run_id, _) = effect.key.split_once('/').unwrap_or((&effect.key, ""));
            let owner = books.orders_of_runs.get(run_id).copied();
            (owner != Some(effect.order_id.as_str())).then(|| {
                format!(
                    "{}: effect {} has the stray key `{}`",
                    effect.order_id, effect.id, effect.key
                )
            })
        }),
        rule("the shelf holds what was not taken", &audit.stock, |level| {
            let taken = books.taken.get(level.sku.as_str()).copied().unwrap_or(0);
            (level.initial - taken != level.available).then(|| {
                let (sku, initial, available) = (&level.sku, level.initial, level.available);
                format!("{sku}: {available} left of {initial} after {taken} were taken")
            })
        }),
    ]
}

fn rule<T>(
    rule: &'static str,
    subjects: impl IntoIterator<Item = T>,
    violation: impl Fn(T) -> Option<String>,
) -> Check {
    let mut check = Check { rule, examined: 0, violations: Vec::new() };
    for subject in subjects {
        check.examined += 1;
        check.violations.extend(violation(subject));
    }
    check
}

fn is_completed(run: &Run) -> bool {
    matches!(run.standing, Standing::Ended(Outcome::Completed { .. }))
}

fn is_declined(run: &Run) -> bool {
    matches!(run.standing, Standing::Ended(Outcome::Declined { .. }))
}

/// The data that was read, by order.
struct Books<'a> {
    orders: HashMap<&'a str, &'a Order>,
    runs: HashMap<&'a str, Vec<&'a Run>>,
    orders_of_runs: HashMap<&'a str, &'a str>,
    accounts: HashMap<&'a str, Account<'a>>,
    /// Pieces reserved and not released, by sku.
    taken: HashMap<&'a str, i64>,
}

/// What happened for one order.
#[derive(Default)]
struct Account<'a> {
    /// Cents by the charge's number.
    charges: BTreeMap<i64, u64>,
    /// The charge undone, and the cents given back.
    refunds: Vec<(i64, u64)>,
    /// Sku and quantity by the reservation's number.
    reservations: BTreeMap<i64, (&'a str, u32)>,
    /// The reservation undone.
    releases: Vec<i64>,
    parcels: usize,
}

impl<'a> Books<'a> {
    fn new(input: &'a Input, runs: &'a [Run], audit: &'a Audit) -> Self {
        let mut books = Self {
            orders: input.orders.iter().map(|order| (order.id.as_str(), order)).collect(),
            runs: HashMap::new(),
            orders_of_runs: HashMap::new(),
            accounts: HashMap::new(),
            taken: HashMap::new(),
        };
        for run in runs {
            books.runs.entry(&run.order_id).or_default().push(run);
            books.orders_of_runs.insert(&run.run_id, &run.order_id);
        }
        for effect in &audit.effects {
            let account = books.accounts.entry(&effect.order_id).or_default();
            match &effect.kind {
                EffectKind::Charge { cents } => {
                    account.charges.insert(effect.id, *cents);
                }
                EffectKind::Refund { charge_id, cents } => {
                    account.refunds.push((*charge_id, *cents));
                }
                EffectKind::Reserve { sku, quantity } => {
                    account.reservations.insert(effect.id, (sku, *quantity));
                    *books.taken.entry(sku).or_default() += i64::from(*quantity);
                }
                EffectKind::Release { reservation_id } => {
                    account.releases.push(*reservation_id);
                    if let Some((sku, quantity)) = account.reservations.get(reservation_id) {
                        *books.taken.entry(sku).or_default() -= i64::from(*quantity);
                    }
                }
                EffectKind::Ship => account.parcels += 1,
            }
        }
        books
    }

    /// What happened for a run's order; nothing, if the books do not know it.
    fn account(&self, run: &Run) -> &Account<'a> {
        static NOTHING: Account<'static> = Account {
            charges: BTreeMap::new(),
            refunds: Vec::new(),
            reservations: BTreeMap::new(),
            releases: Vec::new(),
            parcels: 0,
        };
        self.accounts.get(run.order_id.as_str()).unwrap_or(&NOTHING)
    }

    fn closed(&self, order: &Order) -> Option<String> {
        let id = &order.id;
        match self.runs.get(id.as_str()).map(Vec::as_slice) {
            None => Some(format!("{id}: has not been started")),
            Some([run]) if run.is_open() => Some(format!("{id}: is unfinished")),
            Some([_]) => None,
            Some(runs) => Some(format!("{id}: has {} runs", runs.len())),
        }
    }

    fn paid(&self, run: &Run) -> Option<String> {
        let (id, account) = (&run.order_id, self.account(run));
        let charged = match account.charges.values().collect::<Vec<_>>()[..] {
            [cents] => *cents,
            [] => return Some(format!("{id}: is not charged")),
            _ => return Some(format!("{id}: is charged {} times", account.charges.len())),
        };
        if !account.refunds.is_empty() {
            return Some(format!("{id}: is refunded"));
        }
        let due = self.orders.get(id.as_str())?.total_cents();
        (charged != due).then(|| format!("{id}: is charged {charged} cents where {due} are due"))
    }

    fn reserved(&self, run: &Run) -> Option<String> {
        let (id, account) = (&run.order_id, self.account(run));
        if !account.releases.is_empty() {
            return Some(format!("{id}: has {} reservations released", account.releases.len()));
        }
        let order = self.orders.get(id.as_str())?;
        let mut due: Vec<_> =
            order.items.iter().map(|item| (item.sku.as_str(), item.quantity)).collect();
        let mut found: Vec<_> = account.reservations.values().copied().collect();
        due.sort_unstable();
        found.sort_unstable();
        (due != found).then(|| format!("{id}: has {found:?} reserved where {due:?} are due"))
    }

    fn shipped(&self, run: &Run, due: usize) -> Option<String> {
        let parcels = self.account(run).parcels;
        (parcels != due).then(|| format!("{}: has {parcels} parcels", run.order_id))
    }

    fn not_charged(&self, run: &Run) -> Option<String> {
        let charges = self.account(run).charges.len();
        (charges != 0).then(|| format!("{}: is charged {charges} times", run.order_id))
    }

    fn refunded(&self, run: &Run) -> Option<String> {
        let account = self.account(run);
        let mut due: Vec<_> = account.charges.iter().map(|(id, cents)| (*id, *cents)).collect();
        let mut found = account.refunds.clone();
        due.sort_unstable();
        found.sort_unstable();
        (due != found).then(|| {
            let (id, charges, refunds) = (&run.order_id, due.len(), found.len());
            format!("{id}: {charges} charges and {refunds} refunds do not match")
        })
    }

    fn released(&self, run: &Run) -> Option<String> {
        let account = self.account(run);
        let due: Vec<_> = account.reservations.keys().copied().collect();
        let mut found = account.releases.clone();
        found.sort_unstable();
        (due != found).then(|| {
            let (id, reserved, released) = (&run.order_id, due.len(), found.len());
            format!("{id}: {reserved} reservations and {released} releases do not match")
        })
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
