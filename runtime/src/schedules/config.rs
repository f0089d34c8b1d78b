//! The configuration of a schedule.

use std::time::Duration;

use piton_schedule::{Spec, UnixSeconds};
use serde::{Deserialize, Serialize};

use crate::model::{AttributeMap, Memo, NewTerms, Payload, Timestamp};

/// The policy for a due run if an earlier run of the schedule is still open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Overlap {
    /// The run is not started.
    #[default]
    Skip,
    /// The run is started when the open one has closed. At most one run waits; others that become due meanwhile are
    /// dropped.
    BufferOne,
    /// The run is started when the open one and all waiting ones have closed. See
    /// [`max_buffered`](crate::client::CreateSchedule::max_buffered).
    BufferAll,
    /// The open run gets a request to cancel, and the run is started when it has closed. If others become due
    /// meanwhile, the last of them is started.
    CancelOther,
    /// The open run is terminated, and the run is started at once.
    TerminateOther,
    /// The run is started, however many are open.
    AllowAll,
}

impl Overlap {
    /// All policies, with their names in JSON.
    pub const ALL: [(&'static str, Self); 6] = [
        ("skip", Self::Skip),
        ("buffer_one", Self::BufferOne),
        ("buffer_all", Self::BufferAll),
        ("cancel_other", Self::CancelOther),
        ("terminate_other", Self::TerminateOther),
        ("allow_all", Self::AllowAll),
    ];
}

/// The placeholder for a schedule's id.
pub(crate) const SCHEDULE: &str = "{schedule}";
/// The placeholder for a nominal time.
pub(crate) const TIME: &str = "{time}";

/// The configuration of a schedule, without the workflow and its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) spec: Spec,
    #[serde(default)]
    pub(crate) action: Action,
    #[serde(default)]
    pub(crate) overlap: Overlap,
    pub(crate) catch_up_ms: u64,
    #[serde(default)]
    pub(crate) pause_on_failure: bool,
    #[serde(default)]
    pub(crate) max_buffered: Option<u64>,
}

/// How runs are started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    /// The workflow id, with placeholders for the schedule's id and the time.
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) terms: NewTerms,
    #[serde(default)]
    pub(crate) attributes: AttributeMap,
    #[serde(default)]
    pub(crate) memo: Memo,
    /// The signal to send to the run with the workflow id, or to a new one if there is a workflow.
    #[serde(default)]
    pub(crate) signal: Option<SignalAction>,
}

/// The stored workflow name of a schedule that starts no runs.
pub(crate) const NO_WORKFLOW: &str = "";

/// A signal to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalAction {
    /// Its stored name.
    pub(crate) name: String,
    #[serde(with = "hex")]
    pub(crate) payload: Payload,
}

/// A payload as hex digits.
mod hex {
    use std::fmt::Write as _;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::model::Payload;

    pub(super) fn serialize<S: Serializer>(
        payload: &Payload,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut digits = String::with_capacity(2 * payload.as_bytes().len());
        for byte in payload.as_bytes() {
            // Writing to a text cannot fail.
            let _ = write!(digits, "{byte:02x}");
        }
        serializer.serialize_str(&digits)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Payload, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let pairs = digits.as_bytes().chunks(2);
        let byte = |pair: &[u8]| {
            let digit = |byte: &u8| char::from(*byte).to_digit(16);
            let [high, low] = pair else { return None };
            u8::try_from(digit(high)? << 4 | digit(low)?).ok()
        };
        let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
        bytes.map(Payload).ok_or_else(|| D::Error::custom("a payload is hex digits"))
    }
}

impl Default for Action {
    fn default() -> Self {
        Self {
            id: format!("{SCHEDULE}-{TIME}"),
            terms: NewTerms::default(),
            attributes: AttributeMap::new(),
            memo: Memo::new(),
            signal: None,
        }
    }
}

impl Action {
    /// The first part of the workflow id that looks like a placeholder and is none.
    pub(crate) fn unknown_placeholder(&self) -> Option<&str> {
        let mut rest = &*self.id;
        while let Some(begin) = rest.find('{') {
            rest = &rest[begin..];
            let placeholder = &rest[..=rest.find('}')?];
            if ![SCHEDULE, TIME].contains(&placeholder) {
                return Some(placeholder);
            }
            rest = &rest[placeholder.len()..];
        }
        None
    }

    /// The workflow id of the run for a nominal time.
    pub(crate) fn workflow_id(&self, schedule: &str, nominal: Timestamp) -> String {
        let seconds = UnixSeconds::from_micros(nominal.0);
        let time = match seconds.as_micros() == nominal.0 {
            true => seconds.to_string(),
            // A client triggered the run at this moment.
            false => nominal.to_string(),
        };
        self.id.replace(SCHEDULE, schedule).replace(TIME, &time)
    }
}

impl Config {
    pub(crate) fn new(spec: Spec) -> Self {
        Self {
            spec,
            action: Action::default(),
            overlap: Overlap::default(),
            catch_up_ms: 60_000,
            pause_on_failure: false,
            max_buffered: None,
        }
    }

    pub(crate) fn catch_up(&self) -> Duration {
        Duration::from_millis(self.catch_up_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::State;

    #[test]
    fn json_from_before_terms_and_signals_is_read() {
        let config: Config = serde_json::from_str(
            r#"{"spec": {"cron": ["0 6 * * *"]}, "action": {"id": "{schedule}-{time}"}, "catch_up_ms": 60000}"#,
        )
        .expect("it can be read");
        assert_eq!(config, Config::new(Spec::new().cron("0 6 * * *")));
        let state: State = serde_json::from_str(
            r#"{"until": "2026-11-27T06:00:00Z", "paused": false, "note": "", "remaining": null, "waiting": [],
                "backfills": [], "running": [{"run_id": "0199f0e2-1111-7222-8333-944455556666",
                "nominal": 1795759200000000, "cancel_requested": true}], "last_completed": null,
                "last_failed": null, "requests": [],
                "counts": {"started": 1, "skipped": 0, "dropped": 0, "missed": 0, "refused": 0}}"#,
        )
        .expect("it can be read");
        assert_eq!(state.running[0].last(), state.running[0].run_id);
    }

    #[test]
    fn unknown_placeholders_are_found() {
        let cases = [
            ("bill-{time}-{schedule}", None),
            ("bill", None),
            ("{schedule", None),
            ("time}", None),
            ("{time}{tmie}", Some("{tmie}")),
            ("bill-{}", Some("{}")),
            ("{ time }", Some("{ time }")),
            ("{{time}}", Some("{{time}")),
        ];
        for (id, expected) in cases {
            let action = Action { id: id.to_owned(), ..Action::default() };
            assert_eq!(action.unknown_placeholder(), expected, "{id}");
        }
    }

    #[test]
    fn json_of_a_later_build_is_refused() {
        for action in [
            r#"{"id": "a", "mood": 1}"#,
            r#"{"id": "a", "terms": {"mood": 1}}"#,
            r#"{"id": "a", "signal": {"name": "S", "payload": "01", "mood": 1}}"#,
        ] {
            serde_json::from_str::<Action>(action).expect_err(action);
        }
    }

    #[test]
    fn payloads_are_hex_digits() {
        let signal = SignalAction { name: "Knock".to_owned(), payload: Payload(vec![0, 15, 255]) };
        let json = serde_json::to_string(&signal).expect("it has a JSON form");
        assert_eq!(json, r#"{"name":"Knock","payload":"000fff"}"#);
        assert_eq!(serde_json::from_str::<SignalAction>(&json).expect("it can be read"), signal);
        for payload in ["0", "zz", "+1", "00f", "ä"] {
            let json = format!(r#"{{"name": "Knock", "payload": "{payload}"}}"#);
            serde_json::from_str::<SignalAction>(&json).expect_err(payload);
        }
    }
}
