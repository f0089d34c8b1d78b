//! Schedules: created once, returned to one claim at a time, and written only with the current version.

use std::time::Duration;

use uuid::Uuid;

use super::{StoreUnderTest, list_cases};
use crate::model::{Payload, RunId, Timestamp};
use crate::store::{
    ClaimSchedules, ClaimedSchedules, MAX_SCHEDULE_LOG, NewSchedule, NewScheduleLogEntry,
    SaveSchedule, ScheduleChange, ScheduleCreated, ScheduleRecord,
};

list_cases! { "schedules":
    a_schedule_is_kept_as_it_was_given,
    an_id_is_taken_once_and_a_creation_may_be_repeated,
    schedules_are_listed_and_counted_by_workflow,
    due_schedules_are_claimed_longest_due_first,
    a_claimed_schedule_is_due_again_after_the_hold,
    a_schedule_that_is_never_due_is_not_claimed,
    two_who_claim_at_once_get_different_schedules,
    a_change_needs_the_last_version,
    a_change_of_another_schedule_of_the_same_id_is_refused,
    what_a_schedule_says_is_changed_and_counted,
    changes_are_refused_one_by_one,
    the_log_is_numbered_and_read_backwards,
    the_log_forgets_its_oldest_entries,
    a_deleted_schedule_takes_its_log_along,
}

const HOLD: Duration = Duration::from_secs(10);

fn schedule(id: &str) -> NewSchedule {
    NewSchedule {
        id: id.into(),
        token: RunId::new().as_uuid(),
        workflow: "bill".into(),
        arguments: Payload(vec![3, 0, 255]),
        config: format!("{{\"of\": \"{id}\"}}"),
        state: "{}".into(),
        due_at: None,
        log: Vec::new(),
    }
}

fn due(id: &str, due_at: Timestamp) -> NewSchedule {
    NewSchedule { due_at: Some(due_at), ..schedule(id) }
}

fn log_entry(kind: &str) -> NewScheduleLogEntry {
    NewScheduleLogEntry { kind: kind.into(), nominal_at: None, run_id: None, details: None }
}

fn save_of(record: &ScheduleRecord) -> SaveSchedule {
    SaveSchedule {
        id: record.id.clone(),
        token: record.token,
        version: record.version,
        state: "{\"n\": 1}".into(),
        due_at: None,
        change: None,
        log: Vec::new(),
    }
}

impl StoreUnderTest {
    async fn create(&self, schedule: NewSchedule) {
        let created = self.store.create_schedule(schedule).await.expect("schedules can be created");
        assert_eq!(created, ScheduleCreated::Created);
    }

    async fn schedule(&self, id: &str) -> ScheduleRecord {
        let found = self.store.find_schedule(id).await.expect("schedules can be looked up");
        found.expect("the schedule is there")
    }

    async fn claim_schedules(&self, workflows: &[&str], limit: u32) -> ClaimedSchedules {
        let request = ClaimSchedules { workflows, limit, hold: HOLD };
        self.store.claim_schedules(request).await.expect("schedules can be claimed")
    }

    async fn save(&self, saves: Vec<SaveSchedule>) -> Vec<bool> {
        self.store.save_schedules(saves).await.expect("schedules can be written")
    }

    async fn log(&self, id: &str, before: Option<i64>, limit: u32) -> Vec<(i64, String)> {
        let log = self.store.list_schedule_log(id, before, limit).await.expect("logs can be read");
        log.into_iter().map(|entry| (entry.seq, entry.entry.kind)).collect()
    }
}

fn ids(claimed: &ClaimedSchedules) -> Vec<&str> {
    claimed.schedules.iter().map(|record| record.id.as_str()).collect()
}

async fn a_schedule_is_kept_as_it_was_given(t: StoreUnderTest) {
    let created_at = t.now();
    let new = NewSchedule { log: vec![log_entry("created")], ..due("daily", Timestamp(7)) };
    t.create(new.clone()).await;
    t.clock.advance(Duration::from_secs(5));
    let record = ScheduleRecord {
        id: new.id,
        token: new.token,
        version: 0,
        revision: 0,
        workflow: new.workflow,
        arguments: new.arguments,
        config: new.config,
        state: new.state,
        due_at: new.due_at,
        created_at,
    };
    assert_eq!(t.schedule("daily").await, record);
    assert_eq!(t.other.find_schedule("daily").await.expect("a look"), Some(record));
    assert_eq!(t.other.find_schedule("Daily").await.expect("a look"), None);
    assert_eq!(t.other.find_schedule("da\0ily").await.expect("a look"), None);
    let log = t.store.list_schedule_log("daily", None, 10).await.expect("a log");
    assert_eq!((log[0].seq, log[0].at, &log[0].entry), (1, created_at, &log_entry("created")));
}

async fn an_id_is_taken_once_and_a_creation_may_be_repeated(t: StoreUnderTest) {
    let first = NewSchedule { log: vec![log_entry("created")], ..schedule("daily") };
    t.create(first.clone()).await;
    let again = t.store.create_schedule(first.clone()).await.expect("an answer");
    assert_eq!(again, ScheduleCreated::Created);
    assert_eq!(t.log("daily", None, 10).await, [(1, "created".to_owned())]);
    let second = NewSchedule { config: "other".into(), ..schedule("daily") };
    let refused = t.store.create_schedule(second).await.expect("an answer");
    assert_eq!(refused, ScheduleCreated::IdTaken);
    assert_eq!(t.schedule("daily").await.config, first.config);
}

async fn schedules_are_listed_and_counted_by_workflow(t: StoreUnderTest) {
    for id in ["b", "a", "B", "ä", "c"] {
        t.create(schedule(id)).await;
    }
    t.create(NewSchedule { workflow: "ship".into(), ..schedule("d") }).await;
    let list = async |workflow, after, limit| {
        let found = t.store.list_schedules(workflow, after, limit).await.expect("a list");
        found.into_iter().map(|record| record.id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, None, 10).await, ["B", "a", "b", "c", "d", "ä"]);
    assert_eq!(list(Some("bill"), Some("a"), 2).await, ["b", "c"]);
    assert_eq!(list(Some("none"), None, 10).await, [""; 0]);
    let count = async |workflow| t.store.count_schedules(workflow).await.expect("a count");
    assert_eq!(
        (count(None).await, count(Some("ship")).await, count(Some("none")).await),
        (6, 1, 0)
    );
}

async fn due_schedules_are_claimed_longest_due_first(t: StoreUnderTest) {
    let now = t.now();
    t.create(due("late", now - Duration::from_secs(1))).await;
    t.create(due("later", now - Duration::from_secs(2))).await;
    t.create(due("now", now)).await;
    t.create(due("soon", now + Duration::from_secs(3))).await;
    t.create(NewSchedule { workflow: "ship".into(), ..due("else", now) }).await;
    let claimed = t.claim_schedules(&["bill"], 2).await;
    let mut found = ids(&claimed);
    found.sort_unstable();
    assert_eq!(found, ["late", "later"]);
    assert_eq!((claimed.now, claimed.next_due_at), (now, Some(now)));
    let claimed = t.claim_schedules(&["bill"], 2).await;
    assert_eq!(ids(&claimed), ["now"]);
    assert_eq!(claimed.next_due_at, Some(now + Duration::from_secs(3)));
    assert_eq!(ids(&t.claim_schedules(&[], 2).await), [""; 0]);
    assert_eq!(ids(&t.claim_schedules(&["ship", "bill"], 2).await), ["else"]);
}

async fn a_claimed_schedule_is_due_again_after_the_hold(t: StoreUnderTest) {
    t.create(due("daily", t.now())).await;
    let first = t.claim_schedules(&["bill"], 10).await;
    assert_eq!(ids(&first), ["daily"]);
    assert_eq!(first.next_due_at, Some(t.now() + HOLD));
    assert_eq!(ids(&t.claim_schedules(&["bill"], 10).await), [""; 0]);
    t.clock.advance(HOLD);
    let second = t.claim_schedules(&["bill"], 10).await;
    assert_eq!(ids(&second), ["daily"]);
    // The first comes back late, and must not undo what the second does.
    assert_eq!(t.save(vec![save_of(&first.schedules[0])]).await, [false]);
    assert_eq!(t.save(vec![save_of(&second.schedules[0])]).await, [true]);
}

async fn a_schedule_that_is_never_due_is_not_claimed(t: StoreUnderTest) {
    t.create(schedule("paused")).await;
    let claimed = t.claim_schedules(&["bill"], 10).await;
    assert_eq!((ids(&claimed), claimed.next_due_at), (Vec::new(), None));
    let save = SaveSchedule { due_at: Some(t.now()), ..save_of(&t.schedule("paused").await) };
    assert_eq!(t.save(vec![save]).await, [true]);
    assert_eq!(ids(&t.claim_schedules(&["bill"], 10).await), ["paused"]);
}

async fn two_who_claim_at_once_get_different_schedules(t: StoreUnderTest) {
    for number in 0..20 {
        t.create(due(&format!("s{number:02}"), t.now())).await;
    }
    let request = ClaimSchedules { workflows: &["bill"], limit: 20, hold: HOLD };
    let (one, two) =
        tokio::join!(t.store.claim_schedules(request), t.other.claim_schedules(request));
    let (one, two) = (one.expect("a claim"), two.expect("a claim"));
    let left = t.claim_schedules(&["bill"], 20).await;
    let mut all: Vec<&str> = [ids(&one), ids(&two), ids(&left)].concat();
    all.sort_unstable();
    let expected: Vec<String> = (0..20).map(|number| format!("s{number:02}")).collect();
    assert_eq!(all, expected);
}

async fn a_change_needs_the_last_version(t: StoreUnderTest) {
    t.create(schedule("daily")).await;
    let read = t.schedule("daily").await;
    assert_eq!(t.save(vec![save_of(&read)]).await, [true]);
    let late =
        SaveSchedule { state: "late".into(), log: vec![log_entry("late")], ..save_of(&read) };
    assert_eq!(t.save(vec![late]).await, [false]);
    let kept = t.schedule("daily").await;
    assert_eq!((kept.version, kept.state.as_str()), (1, "{\"n\": 1}"));
    assert_eq!(t.log("daily", None, 10).await, []);
}

async fn a_change_of_another_schedule_of_the_same_id_is_refused(t: StoreUnderTest) {
    t.create(schedule("daily")).await;
    let read = t.schedule("daily").await;
    assert!(t.store.delete_schedule("daily").await.expect("an answer"));
    t.create(schedule("daily")).await;
    assert_eq!(t.save(vec![save_of(&read)]).await, [false]);
    let kept = t.schedule("daily").await;
    assert_eq!(t.save(vec![save_of(&kept)]).await, [true]);
}

async fn what_a_schedule_says_is_changed_and_counted(t: StoreUnderTest) {
    t.create(due("daily", t.now())).await;
    let read = t.schedule("daily").await;
    let change = ScheduleChange {
        workflow: "ship".into(),
        arguments: Payload(vec![9]),
        config: "new".into(),
    };
    let save = SaveSchedule { change: Some(change), ..save_of(&read) };
    assert_eq!(t.save(vec![save]).await, [true]);
    let kept = t.schedule("daily").await;
    let expected = ScheduleRecord {
        version: 1,
        revision: 1,
        workflow: "ship".into(),
        arguments: Payload(vec![9]),
        config: "new".into(),
        state: "{\"n\": 1}".into(),
        due_at: None,
        ..read
    };
    assert_eq!(kept, expected);
}

async fn changes_are_refused_one_by_one(t: StoreUnderTest) {
    for id in ["a", "b", "c"] {
        t.create(schedule(id)).await;
    }
    let mut saves = Vec::new();
    for id in ["c", "a", "b"] {
        saves.push(SaveSchedule { log: vec![log_entry(id)], ..save_of(&t.schedule(id).await) });
    }
    saves[1].version = 7;
    saves.push(SaveSchedule { id: "none".into(), token: Uuid::nil(), ..saves[0].clone() });
    assert_eq!(t.save(saves).await, [true, false, true, false]);
    assert_eq!(t.log("a", None, 10).await, []);
    assert_eq!(t.log("b", None, 10).await, [(1, "b".to_owned())]);
    assert_eq!(t.log("c", None, 10).await, [(1, "c".to_owned())]);
}

async fn the_log_is_numbered_and_read_backwards(t: StoreUnderTest) {
    t.create(NewSchedule { log: vec![log_entry("1"), log_entry("2")], ..schedule("daily") }).await;
    let run_id = RunId::new();
    let full = NewScheduleLogEntry {
        kind: "3".into(),
        nominal_at: Some(Timestamp(123_456_789)),
        run_id: Some(run_id),
        details: Some("{\"why\": \"ä\"}".into()),
    };
    let log = vec![full.clone(), log_entry("4")];
    let save = SaveSchedule { log, ..save_of(&t.schedule("daily").await) };
    assert_eq!(t.save(vec![save]).await, [true]);
    let kinds = |log: Vec<(i64, String)>| log.into_iter().map(|(seq, _)| seq).collect::<Vec<_>>();
    assert_eq!(kinds(t.log("daily", None, 10).await), [4, 3, 2, 1]);
    assert_eq!(kinds(t.log("daily", None, 2).await), [4, 3]);
    assert_eq!(kinds(t.log("daily", Some(3), 10).await), [2, 1]);
    let log = t.store.list_schedule_log("daily", Some(4), 1).await.expect("a log");
    assert_eq!(log[0].entry, full);
    assert_eq!(t.log("none", None, 10).await, []);
}

async fn the_log_forgets_its_oldest_entries(t: StoreUnderTest) {
    t.create(NewSchedule { log: vec![log_entry("first")], ..schedule("daily") }).await;
    t.create(NewSchedule { log: vec![log_entry("first")], ..schedule("other") }).await;
    let log = vec![log_entry("more"); MAX_SCHEDULE_LOG as usize];
    let save = SaveSchedule { log, ..save_of(&t.schedule("daily").await) };
    assert_eq!(t.save(vec![save]).await, [true]);
    let kept = t.log("daily", None, 10_000).await;
    assert_eq!(kept.len(), MAX_SCHEDULE_LOG as usize);
    assert_eq!(kept.last(), Some(&(2, "more".to_owned())));
    assert_eq!(t.log("other", None, 10).await, [(1, "first".to_owned())]);
}

async fn a_deleted_schedule_takes_its_log_along(t: StoreUnderTest) {
    t.create(NewSchedule { log: vec![log_entry("created")], ..due("daily", t.now()) }).await;
    assert!(t.store.delete_schedule("daily").await.expect("an answer"));
    assert!(!t.store.delete_schedule("daily").await.expect("an answer"));
    assert_eq!(ids(&t.claim_schedules(&["bill"], 10).await), [""; 0]);
    t.create(schedule("daily")).await;
    assert_eq!(t.log("daily", None, 10).await, []);
}
