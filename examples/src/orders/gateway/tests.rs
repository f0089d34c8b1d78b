//! The gateway over a real socket: trouble of every kind, and one effect per key.

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::orders::catalog::Catalog;

/// A gateway with its own books.
struct Fixture {
    client: Gateway,
    service: Service,
    books: PathBuf,
    _directory: TempDir,
}

impl Fixture {
    async fn start(faults: Faults) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let books = directory.path().join("ledger.db");
        let ledger = Ledger::open(&books, &Catalog::bundled(), faults).await.expect("a new ledger");
        let service = Service::start(ledger).await.expect("a free port");
        let client = Gateway::new(service.url()).expect("an HTTP client");
        Self { client, service, books, _directory: directory }
    }

    async fn audit(&self) -> Audit {
        Audit::read(&self.books).await.expect("readable books")
    }

    async fn stock_of(&self, wanted: &str) -> i64 {
        let stock = self.audit().await.stock;
        let level = stock.iter().find(|level| level.sku == wanted).expect("a known sku");
        level.initial - level.available
    }
}

fn charge(card: &str) -> Call {
    Call::Charge { order_id: "A".into(), card: card.into(), cents: 4_200 }
}

fn reserve(sku: &str, quantity: u32) -> Call {
    Call::Reserve { order_id: "A".into(), sku: sku.into(), quantity }
}

/// The first attempt fails, always in the same way; the second does not.
const FAILS_ONCE: Faults = Faults { calm_from_attempt: 2, ..Faults::NONE };

#[tokio::test]
async fn one_key_has_one_effect_and_one_answer() {
    let gateway = Fixture::start(Faults::NONE).await;
    let first = gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    let second = gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    assert_eq!(first, second);
    let audit = gateway.audit().await;
    assert_eq!(audit.effects.len(), 1);
    assert_eq!(audit.effects[0].kind, EffectKind::Charge { cents: 4_200 });
    assert_eq!((audit.calls, audit.attempts), (1, 2));
}

#[tokio::test]
async fn two_keys_have_two_effects() {
    let gateway = Fixture::start(Faults::NONE).await;
    for key in ["k1", "k2"] {
        gateway.client.call(key, &charge("visa-1")).await.expect("charged");
    }
    assert_eq!(gateway.audit().await.effects.len(), 2);
}

#[tokio::test]
async fn a_key_belongs_to_one_call() {
    let gateway = Fixture::start(Faults::NONE).await;
    gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    let error = gateway.client.call("k", &charge("visa-2")).await.expect_err("another card");
    assert!(!error.is_transient());
    assert_eq!(
        error.to_string(),
        "the gateway refused the call: 422 Unprocessable Entity: the key `k` belongs to another call"
    );
}

#[tokio::test]
async fn a_failure_before_the_effect_leaves_nothing() {
    let gateway = Fixture::start(Faults { before_percent: 100, ..FAILS_ONCE }).await;
    let error = gateway.client.call("k", &charge("visa-1")).await.expect_err("a failure");
    assert_eq!(error, CallError::Failed(500));
    assert!(error.is_transient());
    assert_eq!(gateway.audit().await.effects, []);
    gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    assert_eq!(gateway.audit().await.effects.len(), 1);
}

#[tokio::test]
async fn a_failure_after_the_effect_is_made_good_by_the_key() {
    let gateway = Fixture::start(Faults { after_percent: 100, ..FAILS_ONCE }).await;
    let error = gateway.client.call("k", &charge("visa-1")).await.expect_err("a failure");
    assert_eq!(error, CallError::Failed(500));
    let effects = gateway.audit().await.effects;
    assert_eq!(effects.len(), 1);
    let answer = gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    assert_eq!(answer, Answer::Charged { charge_id: effects[0].id });
    assert_eq!(gateway.audit().await.effects, effects);
}

#[tokio::test]
async fn a_late_answer_is_made_good_by_the_key() {
    let late_by = Duration::from_secs(24 * 60 * 60);
    let gateway = Fixture::start(Faults { late_percent: 100, late_by, ..FAILS_ONCE }).await;
    let mut given_up = 0;
    let answer = loop {
        let call = charge("visa-1");
        let attempt = gateway.client.call("k", &call);
        match tokio::time::timeout(Duration::from_millis(200), attempt).await {
            Ok(answer) => break answer.expect("charged"),
            Err(_) => given_up += 1,
        }
    };
    assert!(given_up >= 1, "the first attempt is answered a day later");
    let audit = gateway.audit().await;
    assert_eq!(audit.effects.len(), 1);
    assert_eq!(answer, Answer::Charged { charge_id: audit.effects[0].id });
}

#[tokio::test]
async fn a_declined_card_is_an_answer_and_costs_nothing() {
    let gateway = Fixture::start(Faults::NONE).await;
    let answer = gateway.client.call("k", &charge("visa-9995")).await.expect("an answer");
    assert_eq!(answer, Answer::Declined { reason: "insufficient funds".into() });
    assert_eq!(gateway.audit().await.effects, []);
}

#[tokio::test]
async fn stock_is_taken_and_put_back() {
    let gateway = Fixture::start(Faults::NONE).await;
    let answer = gateway.client.call("r1", &reserve("CARA-ANNIV", 4)).await.expect("reserved");
    let Answer::Reserved { reservation_id } = answer else { panic!("{answer}") };
    let answer = gateway.client.call("r2", &reserve("CARA-ANNIV", 3)).await.expect("an answer");
    assert_eq!(answer, Answer::OutOfStock { available: 2 });
    assert_eq!(gateway.stock_of("CARA-ANNIV").await, 4);
    let release = Call::Release { order_id: "A".into(), reservation_id };
    for _ in 0..2 {
        gateway.client.call("r3", &release).await.expect("released");
    }
    assert_eq!(gateway.stock_of("CARA-ANNIV").await, 0);
}

#[tokio::test]
async fn only_what_the_order_has_can_be_undone() {
    let gateway = Fixture::start(Faults::NONE).await;
    let answer = gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    let Answer::Charged { charge_id } = answer else { panic!("{answer}") };
    let refund = Call::Refund { order_id: "B".into(), charge_id };
    let error = gateway.client.call("r", &refund).await.expect_err("another order's charge");
    assert_eq!(error, CallError::Refused(format!("order B has no charge {charge_id}")));
    let release = Call::Release { order_id: "A".into(), reservation_id: charge_id };
    let error = gateway.client.call("s", &release).await.expect_err("not a reservation");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn calls_at_the_same_time_share_transactions_and_get_their_own_answers() {
    let gateway = Fixture::start(Faults::NONE).await;
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..300 {
        let client = gateway.client.clone();
        calls.spawn(async move {
            let call = Call::Ship { order_id: n.to_string(), customer: "Ada Kim".into() };
            client.call(&format!("k{n}"), &call).await.expect("shipped")
        });
    }
    let answers = calls.join_all().await;
    let mut parcels: Vec<_> = answers
        .into_iter()
        .map(|answer| match answer {
            Answer::Shipped { parcel_id } => parcel_id,
            other => panic!("{other}"),
        })
        .collect();
    parcels.sort_unstable();
    parcels.dedup();
    assert_eq!(parcels.len(), 300);
    assert_eq!(gateway.audit().await.effects.len(), 300);
}

#[tokio::test]
async fn the_books_outlive_the_service() {
    let gateway = Fixture::start(Faults::NONE).await;
    let before = gateway.client.call("k", &charge("visa-1")).await.expect("charged");
    gateway.service.stop().await;
    gateway.client.call("k", &charge("visa-1")).await.expect_err("nobody answers");

    let ledger = Ledger::open(&gateway.books, &Catalog::bundled(), Faults::NONE).await;
    let service = Service::start(ledger.expect("the old ledger")).await.expect("a free port");
    let client = Gateway::new(service.url()).expect("an HTTP client");
    let after = client.call("k", &charge("visa-1")).await.expect("charged");
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_file_that_is_no_ledger_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("notes.txt");
    std::fs::write(
        &path,
        "not a database, and long enough to be seen as something else\n".repeat(20),
    )
    .expect("a writable directory");
    let error = Ledger::open(&path, &Catalog::bundled(), Faults::NONE).await.expect_err("text");
    assert!(error.to_string().contains("notes.txt"), "{error}");
}
