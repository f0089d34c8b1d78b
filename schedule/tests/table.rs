//! Rows of (spec, zone, from, next) that other programs have computed.
//!
//! `source` tells which: a brute force over Python's `zoneinfo`, `croniter`, `systemd-analyze calendar`, or plain
//! arithmetic for intervals.

use piton_schedule::{Spec, UnixSeconds, next_times};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    source: String,
    spec: Spec,
    zone: String,
    from: UnixSeconds,
    next: Vec<UnixSeconds>,
}

#[test]
fn all_rows_of_the_table_hold() {
    let mut wrong = String::new();
    let mut rows = 0;
    for line in include_str!("table/rows.jsonl").lines() {
        let Row { source, spec, zone, from, next } = serde_json::from_str(line).expect(line);
        let found = next_times(&spec.zone(zone), from, next.len());
        if found.as_ref() != Ok(&next) {
            wrong += &format!("{source}: {line}\n  found {found:?}\n");
        }
        rows += 1;
    }
    assert_eq!(wrong, "");
    assert!(rows > 600, "{rows} rows");
}
