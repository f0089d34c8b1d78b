//! `piton schedule next`: the times of a spec, by [`piton_schedule`] alone.

use std::io::{BufRead, Write};

use piton::model::Timestamp;
use piton_schedule::{ClockChanges, Spec, UnixSeconds};
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::output::Output;

/// The maximum number of times in one query.
const MAX_COUNT: u64 = 100_000;

#[derive(clap::Args)]
pub(crate) struct Next {
    /// A cron string, such as `0 12 * * MON-FRI`; without one, `--json` reads queries from standard input
    cron: Option<String>,
    /// The time zone, a name of the IANA database
    #[arg(long, value_name = "NAME", default_value = "UTC")]
    zone: String,
    /// Only times after this one, in RFC 3339; now by default
    #[arg(long, value_name = "TIME")]
    from: Option<UnixSeconds>,
    /// The number of times
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    count: u64,
}

/// A line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(default)]
    cron: Option<String>,
    #[serde(default)]
    spec: Option<Spec>,
    #[serde(default, alias = "timeZone", alias = "time_zone", alias = "timezone")]
    zone: Option<String>,
    #[serde(default)]
    from: Option<UnixSeconds>,
    #[serde(default)]
    count: Option<u64>,
    #[serde(default, alias = "clockChanges")]
    clock_changes: Option<ClockChanges>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Next(Vec<UnixSeconds>),
    Error(String),
}

impl Next {
    pub(crate) fn carry_out(&self, output: Output) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        let Some(cron) = &self.cron else {
            if !output.json {
                return Err(Failure::NoCron);
            }
            return answer_all(std::io::stdin().lock(), stdout);
        };
        let question = Question {
            cron: Some(cron.clone()),
            spec: None,
            zone: Some(self.zone.clone()),
            from: self.from,
            count: Some(self.count),
            clock_changes: None,
        };
        let times = question.answer().map_err(Failure::Usage)?;
        if output.json {
            return write_line(&mut stdout, &Answer::Next(times));
        }
        for time in times {
            writeln!(stdout, "{time}")?;
        }
        Ok(())
    }
}

/// What programs on Windows write before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Answers each line with a line, and an invalid one with its error. Empty lines have no answer.
fn answer_all(mut questions: impl BufRead, mut answers: impl Write) -> Result<(), Failure> {
    let mut line = Vec::new();
    while questions.read_until(b'\n', &mut line).map_err(Failure::Input)? > 0 {
        let question = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line).trim_ascii();
        if !question.is_empty() {
            let answer = serde_json::from_slice::<Question>(question)
                .map_err(|error| error.to_string())
                .and_then(|question| question.answer());
            write_line(&mut answers, &answer.map_or_else(Answer::Error, Answer::Next))?;
        }
        line.clear();
    }
    Ok(())
}

fn write_line(to: &mut impl Write, answer: &Answer) -> Result<(), Failure> {
    // Texts and lists of texts always have a JSON form.
    let text = serde_json::to_string(answer).unwrap_or_default();
    Ok(writeln!(to, "{text}")?)
}

impl Question {
    fn answer(self) -> Result<Vec<UnixSeconds>, String> {
        let mut spec = match (self.cron, self.spec) {
            (Some(cron), None) => Spec::new().cron(cron),
            (None, Some(spec)) => spec,
            (Some(_), Some(_)) => {
                return Err("`cron` and `spec` are both given: put the cron string into the spec"
                    .to_owned());
            }
            (None, None) => {
                return Err("there is neither `cron` nor `spec`: give one of them".to_owned());
            }
        };
        if let Some(zone) = self.zone {
            spec = spec.zone(zone);
        }
        if let Some(policy) = self.clock_changes {
            spec = spec.clock_changes(policy);
        }
        let count = match self.count.unwrap_or(1) {
            count @ 0..=MAX_COUNT => count as usize,
            count => return Err(format!("count `{count}`: the most is {MAX_COUNT}")),
        };
        let from = self.from.unwrap_or(UnixSeconds::from_micros(Timestamp::now().as_micros()));
        piton_schedule::next_times(&spec, from, count).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(questions: &[u8]) -> Vec<String> {
        let mut written = Vec::new();
        answer_all(questions, &mut written).expect("standard input");
        let text = String::from_utf8(written).expect("text");
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_line_is_answered_and_empty_ones_are_skipped() {
        let questions = concat!(
            "\u{feff}",
            r#"{"cron": "0 12 * * *", "from": "2026-11-25T12:00:00Z", "count": 2}"#,
            "\n\n  \r\n",
            r#"{"spec": {"calendars": [{"minute": "17", "hour": "*"}]}, "zone": "Asia/Kolkata", "#,
            r#""from": "2026-11-25T12:00:00+01:00"}"#,
            "\r\n",
            r#"{"spec": {"intervals": [{"interval": "90m", "offset": "5m"}], "jitter": "1m"}, "#,
            r#""from": "2026-11-26T00:00:00Z"}"#,
            "\n",
            r#"{"cron": "0 0 1 1 * 2020", "from": "2026-11-26T00:00:00Z"}"#,
        );
        assert_eq!(
            answers(questions.as_bytes()),
            [
                r#"{"next":["2026-11-26T12:00:00Z","2026-11-27T12:00:00Z"]}"#,
                r#"{"next":["2026-11-25T11:47:00Z"]}"#,
                r#"{"next":["2026-11-26T00:05:00Z"]}"#,
                r#"{"next":[]}"#,
            ]
        );
    }

    #[test]
    fn no_bad_line_ends_the_stream() {
        let bad: [&[u8]; 36] = [
            b"[]",
            b"null",
            b"{",
            b"\x00",
            b"{\"cron\": \"\xff\"}",
            br#"{"cron": 5}"#,
            br#"{"cron": ["@daily"]}"#,
            br#"{"cron": ""}"#,
            br#"{"cron": "@daily", "cron": "@hourly"}"#,
            br#"{"cron": "@daily"} {"cron": "@daily"}"#,
            br#"{"cron": "@daily", "spec": {}}"#,
            br#"{"cron": "@daily", "count": -1}"#,
            br#"{"cron": "@daily", "count": 1.5}"#,
            br#"{"cron": "@daily", "count": "3"}"#,
            br#"{"cron": "@daily", "count": 99999999999999999999999}"#,
            br#"{"cron": "@daily", "zone": 5}"#,
            br#"{"cron": "@daily", "zone": "../etc/passwd"}"#,
            br#"{"cron": "@daily", "from": "2026-02-30T00:00:00Z"}"#,
            br#"{"cron": "@daily", "from": 5}"#,
            br#"{"cron": "@daily", "clock_changes": {"gap": "never"}}"#,
            br#"{"spec": []}"#,
            br#"{"spec": {}}"#,
            br#"{"spec": {"calendars": [5]}}"#,
            br#"{"spec": {"calendars": [{"hours": "1"}]}}"#,
            br#"{"spec": {"calendars": [{"hour": -1}]}}"#,
            br#"{"spec": {"calendars": [{"hour": 18446744073709551615}]}}"#,
            br#"{"spec": {"calendars": [{"hour": "*/0"}]}}"#,
            br#"{"spec": {"calendars": [{"dayOfMonth": "31", "month": "2"}]}}"#,
            br#"{"spec": {"intervals": ["0s"]}}"#,
            br#"{"spec": {"intervals": ["6h/6h"]}}"#,
            br#"{"spec": {"intervals": ["99999999999999999999h"]}}"#,
            br#"{"spec": {"cron": "@every"}}"#,
            br#"{"spec": {"cron": "@daily", "exclude": ["@every 1h"]}}"#,
            br#"{"spec": {"cron": "@daily", "exclude": ["* * * * * * *"]}}"#,
            br#"{"spec": {"cron": "@daily", "jitter": 5}}"#,
            &b"[".repeat(10_000),
        ];
        let good: &[u8] = br#"{"cron": "@daily", "from": "2026-11-26T00:00:00Z"}"#;
        let questions: Vec<&[u8]> = bad.iter().flat_map(|line| [*line, good]).collect();
        let answers = answers(&questions.join(&b'\n'));
        assert_eq!(answers.len(), questions.len());
        for (question, answer) in bad.iter().zip(answers.chunks(2)) {
            let question = String::from_utf8_lossy(question);
            assert!(answer[0].starts_with(r#"{"error":""#), "{question}: {}", answer[0]);
            assert_eq!(answer[1], r#"{"next":["2026-11-27T00:00:00Z"]}"#, "{question}");
        }
    }

    #[test]
    fn a_bad_line_is_answered_by_its_error() {
        let questions: &[u8] = b"nonsense\n\xff\n{}\n{\"cron\": \"* * *\"}\n{\"cron\": \"@daily\", \"zone\": \"Mars\"}\n\
            {\"cron\": \"@daily\", \"count\": 100001}\n{\"cron\": \"@daily\", \"from\": \"now\"}\n{\"crom\": \"\"}\n\
            {\"cron\": \"0 0 31 2 *\"}\n{\"cron\": \"@daily\", \"from\": \"2026-11-26T00:00:00Z\"}";
        let answers = answers(questions);
        let expected = [
            "expected ident",
            "expected value",
            "there is neither `cron` nor `spec`",
            "has 3 fields",
            "there is no time zone `Mars`",
            "count `100001`: the most is 100000",
            "`now` is not a time",
            "unknown field `crom`",
            "never due",
            r#"{"next":["2026-11-27T00:00:00Z"]}"#,
        ];
        assert_eq!(answers.len(), expected.len());
        for (answer, expected) in answers.iter().zip(expected) {
            assert!(answer.contains(expected), "{answer}");
        }
    }
}
