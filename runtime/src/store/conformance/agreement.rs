//! Random filters over random runs: a store must find exactly the runs that match.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::fixture::{StoreUnderTest, block, close, keep, new_run, park};
use crate::filter::tree::{Check, Comparison, Condition, Moment, Scalar, Subject, Test};
use crate::filter::{Column, Filter};
use crate::model::{AttributeChanges, AttributeValue, DefinitionHash, RunId, RunStatus, Timestamp};
use crate::store::{NewRun, OrderBy, RunOrder, RunQuery, RunRecord};

crate::store::conformance::list_cases!("agreement":
    random_filters_find_what_they_hold_of,
    other_random_filters_find_what_they_hold_of,
);

const RUNS: usize = 40;
const FILTERS: usize = 150;

async fn random_filters_find_what_they_hold_of(t: StoreUnderTest) {
    check(t, 1).await;
}

async fn other_random_filters_find_what_they_hold_of(t: StoreUnderTest) {
    check(t, 2).await;
}

/// A fixed seed.
struct Draws(TestRunner);

impl Draws {
    fn draw<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.0).expect("nothing is refused").current()
    }
}

/// A run, and how it continues.
struct Drawn {
    run: NewRun,
    end: u8,
}

/// A filter, an order, and a column to count by.
type Question = (Filter, RunOrder, Column);

impl Draws {
    fn of(seed: u8) -> Self {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        Self(TestRunner::new_with_rng(Config::default(), rng))
    }

    fn run(&mut self, number: usize) -> Drawn {
        let mut changes = AttributeChanges::new();
        for name in NAMES {
            if self.draw(&any::<bool>()) {
                changes.put(name, self.draw(&value()));
            }
        }
        let mut attributes = Default::default();
        changes.apply_to(&mut attributes);
        let mut run = NewRun {
            workflow: self.draw(&text()),
            state: self.draw(&text()),
            definition: DefinitionHash(self.draw(&(0..3_u64)).wrapping_sub(1)),
            attributes,
            ..new_run(&format!("{}{number}", self.draw(&text())))
        };
        if number.is_multiple_of(4) {
            run.workflow_id = run.run_id.to_string();
        }
        Drawn { run, end: self.draw(&(0..5_u8)) }
    }

    /// Comparisons with times use values from `began` on.
    fn questions(&mut self, run_ids: Vec<RunId>, began: Timestamp) -> Vec<Question> {
        let moved = |test: Test| {
            let by = if matches!(test.subject, Subject::Column(_)) { began.0 - START } else { 0 };
            let moved = |value| match value {
                Scalar::Time(Moment::At(at)) => Scalar::Time(Moment::At(Timestamp(at.0 + by))),
                other => other,
            };
            Condition::Test(Test { check: test.check.map(moved), ..test })
        };
        let filters = condition(run_ids).prop_map(move |drawn| drawn.map(&mut { moved }));
        let columns = proptest::sample::select(Column::ALL.to_vec());
        let question =
            |_| (Filter::of(self.draw(&filters)), self.draw(&order()), self.draw(&columns));
        (0..FILTERS).map(question).collect()
    }
}

async fn check(t: StoreUnderTest, seed: u8) {
    let runs: Vec<Drawn> = {
        let mut draws = Draws::of(seed);
        (0..RUNS).map(|number| draws.run(number)).collect()
    };
    let began = t.store.now().await.expect("the clock can be read");
    start_runs(&t, runs).await;
    let all = Filter::all();
    let records = t.store.list_runs(RunQuery::of(&all)).await.expect("runs can be listed");
    assert_eq!(records.len(), RUNS);
    let now = t.store.now().await.expect("the clock can be read");
    let run_ids = records.iter().map(|run| run.run_id).collect();
    let questions = Draws::of(seed).questions(run_ids, began);
    let mut found_some = 0;
    for (filter, order, column) in questions {
        let read: Result<Filter, _> = filter.to_string().parse();
        assert_eq!(read.as_ref(), Ok(&filter), "as it is written");
        let query = RunQuery { order, ..RunQuery::of(&filter) };
        let found = t.store.list_runs(query).await;
        let found = found.unwrap_or_else(|error| panic!("{filter}: {error:?}"));
        let condition = filter.for_store(now);
        let mut expected: Vec<&RunRecord> =
            records.iter().filter(|run| condition.holds(*run)).collect();
        expected.sort_by(|one, other| order.compare(one, other));
        let found: Vec<RunId> = found.iter().map(|run| run.run_id).collect();
        let expected: Vec<RunId> = expected.iter().map(|run| run.run_id).collect();
        assert_eq!(found, expected, "{filter} by {order}");
        let counts = t.store.count_runs(&filter, Some(column)).await;
        let counts = counts.unwrap_or_else(|error| panic!("{filter}: {error:?}"));
        let counted: u64 = counts.iter().map(|count| count.runs).sum();
        assert_eq!(counted, expected.len() as u64, "{filter} by {column}");
        found_some += usize::from(!expected.is_empty() && expected.len() < RUNS);
    }
    assert!(found_some > FILTERS / 5, "only {found_some} filters tell runs apart");
}

async fn start_runs(t: &StoreUnderTest, runs: Vec<Drawn>) {
    let worker = t.worker().await;
    for Drawn { run, end } in runs {
        // Less than the lease, and enough for the runs to differ.
        t.clock.advance(Duration::from_millis(100));
        let run_id = run.run_id;
        t.start_all(vec![NewRun { owner: Some(worker), ..run }]).await;
        let now = t.store.now().await.expect("the clock can be read");
        match end {
            0 => _ = t.commit(worker, keep(run_id, 0, "a")).await,
            1 => _ = t.commit(worker, park(run_id, 0, Some(now), 0)).await,
            2 => _ = t.commit(worker, block(run_id, 0)).await,
            3 => _ = t.commit(worker, close(run_id, 0)).await,
            _ => {}
        }
    }
}

/// 2026-01-01.
const START: i64 = 1_767_225_600_000_000;

const NAMES: [&str; 4] = ["customer", "amount", "tags", "select"];

/// Few values, so that comparisons match.
fn text() -> impl Strategy<Value = String> {
    let long = "x".repeat(120);
    let words = ["", "a", "A", "ab", "b", "é", "it's", "50%_\\", "\u{10ffff}", "2026-01-02", &long];
    let words = words.map(str::to_owned).to_vec();
    // One that begins like another and is longer than what the index has.
    let words = words.into_iter().chain([long + "y"]).collect::<Vec<_>>();
    proptest::sample::select(words)
}

fn integer() -> impl Strategy<Value = i64> {
    proptest::sample::select(vec![i64::MIN, -2, -1, 0, 1, 2, 1 << 53, (1 << 53) + 1, i64::MAX])
}

fn float() -> impl Strategy<Value = f64> {
    let known = vec![-1e300, -2.0, -0.5, 0.0, 0.1 + 0.2, 1.0, 1.5, 9_007_199_254_740_992.0, 1e18];
    prop_oneof![proptest::sample::select(known), -1e6..1e6_f64]
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0..50_i64).prop_map(|tenths| Timestamp(START + tenths * 100_000))
}

fn value() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        text().prop_map(AttributeValue::Keyword),
        text().prop_map(AttributeValue::Text),
        vec(text(), 0..4).prop_map(AttributeValue::Keywords),
        integer().prop_map(AttributeValue::Integer),
        float().prop_map(AttributeValue::Float),
        any::<bool>().prop_map(AttributeValue::Bool),
        time().prop_map(AttributeValue::Time),
    ]
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        3 => text().prop_map(Scalar::Text),
        1 => integer().prop_map(Scalar::Integer),
        1 => float().prop_map(Scalar::Float),
        1 => any::<bool>().prop_map(Scalar::Bool),
        1 => moment().prop_map(Scalar::Time),
    ]
}

fn moment() -> impl Strategy<Value = Moment> {
    let tenths = |tenths: u64| Duration::from_millis(tenths * 100);
    prop_oneof![
        time().prop_map(Moment::At),
        (0..50_u64).prop_map(move |count| Moment::Ago(tenths(count))),
        (1..50_u64).prop_map(move |count| Moment::In(tenths(count))),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    proptest::sample::select(vec![
        Comparison::Equal,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ])
}

fn check_of(scalar: impl Strategy<Value = Scalar> + Clone + 'static) -> BoxedStrategy<Check> {
    prop_oneof![
        3 => (comparison(), scalar.clone())
            .prop_map(|(comparison, value)| Check::Compare(comparison, value)),
        1 => vec(scalar, 1..3).prop_map(Check::In),
        1 => Just(Check::Unset),
    ]
    .boxed()
}

fn check_of_text() -> BoxedStrategy<Check> {
    let scalar = text().prop_map(Scalar::Text).boxed();
    prop_oneof![4 => check_of(scalar), 1 => text().prop_map(Check::StartsWith)].boxed()
}

/// Unordered kinds are compared with `=` and `in`.
fn check_of_words(words: Vec<Scalar>) -> BoxedStrategy<Check> {
    let scalar = proptest::sample::select(words);
    prop_oneof![
        scalar.clone().prop_map(|value| Check::Compare(Comparison::Equal, value)),
        vec(scalar, 1..3).prop_map(Check::In),
        Just(Check::Unset),
    ]
    .boxed()
}

fn words(words: &[&str]) -> Vec<Scalar> {
    words.iter().map(|word| Scalar::Text((*word).to_owned())).collect()
}

fn test(run_ids: Vec<RunId>) -> BoxedStrategy<Test> {
    let own = run_ids.iter().map(|run_id| Scalar::Text(run_id.to_string())).collect::<Vec<_>>();
    let ids: Vec<_> = run_ids.into_iter().map(Scalar::RunId).collect();
    let definitions =
        (0..4_u64).map(|hash| Scalar::Definition(DefinitionHash(hash.wrapping_sub(1))));
    let statuses = RunStatus::ALL.map(RunStatus::as_str);
    let of = |column: Column, check: BoxedStrategy<Check>| {
        check.prop_map(move |check| (Subject::Column(column), check)).boxed()
    };
    let named = prop_oneof![text().prop_map(Scalar::Text), proptest::sample::select(own),];
    let times =
        [Column::StartedAt, Column::ClosedAt, Column::DueAt, Column::BlockedAt, Column::Since];
    let times = (
        proptest::sample::select(times.to_vec()),
        check_of(moment().prop_map(Scalar::Time).boxed()),
    );
    let attributes = (
        proptest::sample::select(NAMES.to_vec()),
        prop_oneof![4 => check_of(scalar().boxed()), 1 => text().prop_map(Check::StartsWith)],
    );
    let tested = prop_oneof![
        1 => of(Column::Workflow, check_of_text()),
        1 => of(Column::State, check_of_text()),
        1 => of(Column::WorkflowId, check_of(named.boxed())),
        1 => of(Column::RunId, check_of(proptest::sample::select(ids).boxed())),
        1 => of(Column::Status, check_of_words(words(&statuses))),
        1 => of(Column::BlockedKind, check_of_words(words(&["panicked", "unfit"]))),
        1 => of(Column::Definition, check_of_words(definitions.collect())),
        2 => times.prop_map(|(column, check)| (Subject::Column(column), check)),
        8 => attributes.prop_map(|(name, check)| (Subject::Attribute(name.to_owned()), check)),
    ];
    (tested, any::<bool>())
        .prop_map(|((subject, check), negated)| Test { subject, check, negated })
        .boxed()
}

fn condition(run_ids: Vec<RunId>) -> BoxedStrategy<Condition> {
    let leaf = prop_oneof![
        20 => test(run_ids).prop_map(Condition::Test),
        1 => Just(Condition::always()),
        1 => Just(Condition::always().negated()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| one.and(other)),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| one.or(other)),
            inner.prop_map(Condition::negated),
        ]
    })
    .boxed()
}

fn order() -> impl Strategy<Value = RunOrder> {
    let by = vec![
        OrderBy::RunId,
        OrderBy::StartedAt,
        OrderBy::ClosedAt,
        OrderBy::DueAt,
        OrderBy::BlockedAt,
        OrderBy::Since,
    ];
    (proptest::sample::select(by), any::<bool>()).prop_map(|(by, ascending)| match ascending {
        true => RunOrder::ascending(by),
        false => RunOrder::descending(by),
    })
}
