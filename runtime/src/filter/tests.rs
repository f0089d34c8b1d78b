use super::*;

fn error(text: &str) -> String {
    match text.parse::<Filter>() {
        Ok(filter) => panic!("`{text}` is read as `{filter}`"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn errors_tell_the_place_what_is_wrong_and_what_to_write() {
    for (text, says) in [
        (
            "statsu = 'blocked'",
            "column 1: there is no column `statsu`; write `status`, or `\"statsu\"` for an attribute of this name",
        ),
        ("status = 'blokced'", "column 10: there is no status 'blokced'; write 'blocked'"),
        (
            "workflow = 'a' and\n  status = 'x'",
            "line 2, column 12: there is no status 'x'; it is one of running, blocked, completed, failed, \
             cancelled, terminated",
        ),
        ("status > 'running'", "column 1: `status` has no order; compare it with =, != or in"),
        (
            "workflow = fulfill",
            "column 12: `fulfill` is not a value; texts are in single quotes: 'fulfill'",
        ),
        (
            "workflow = \"fulfill\"",
            "column 12: \"fulfill\" is a name and no text; texts are in single quotes: 'fulfill'",
        ),
        ("workflow = 5", "column 12: `workflow` is a text, not 5; texts are in single quotes"),
        (
            "started_at > 'yesterday'",
            "column 14: 'yesterday' is not a time; times are in UTC: '2026-01-31', '2026-01-31T12:00:00Z'",
        ),
        (
            "since < now() - interval '3 months'",
            "column 26: '3 months' is not an interval; it is a number and a unit: weeks, days, hours, minutes, seconds",
        ),
        ("customer = null", "column 12: nothing equals null; write `is null`"),
        ("customer like '%x'", "column 15: the pattern '%x' asks for more than a beginning"),
        ("run_id = 'o-42'", "column 10: 'o-42' is not a run id"),
        ("definition = '5'", "column 14: '5' is not a definition"),
        ("customer", "column 1: `customer` is not a condition"),
        ("'a' = customer", "column 1: a value stands before the comparison"),
        ("lower(customer) = 'a'", "column 1: `lower(customer)` cannot be compared"),
        ("order.customer = 'a'", "there is no `order.customer`"),
        ("a = 1 b = 2", "column 7: `b` is not expected here; join conditions by `and` or `or`"),
        ("a = 1 && b = 2", "column 7: `&&` is not expected here; join conditions by `and` or `or`"),
        ("a = 1 || b = 2", "column 7: `||` is not expected here; join conditions by `and` or `or`"),
        ("var.since > now()", "a variable is not compared with a time"),
        ("a = upper('x')", "column 5: there is no function `upper`; the only one is `now()`"),
        ("a = 1e999", "column 5: the number 1e999 is out of range"),
    ] {
        let told = error(text);
        assert!(told.starts_with(says) || told.contains(says), "{text}\n{told}\n{says}");
    }
    assert!(error("a =").contains("expected"), "{}", error("a ="));
    assert!(error("a = 'x").starts_with("column"), "{}", error("a = 'x"));
    assert!(error(&"(".repeat(10_000)).contains("nested too deep"));
}

#[test]
fn a_filter_is_written_as_it_is_read() {
    for text in [
        "true",
        "false",
        "status = 'running' and (workflow = 'a' or not cents < 5)",
        "customer not in ('a', 'b') and \"select\" is not null",
        "\"stage\" != 'x'",
        "var.\"order\".\"the item\" >= 2.5",
        "note not like '50\\%%'",
        "since < now() - interval '3 days' or due_at > now() + interval '90 minutes'",
        "ship_by = timestamp '2026-01-31T12:00:00Z'",
        "\"name\" = 'it''s'",
    ] {
        let filter: Filter = text.parse().expect(text);
        assert_eq!(filter.to_string(), text);
    }
}

#[test]
fn what_means_the_same_is_the_same() {
    for (one, other) in [
        ("", "true"),
        ("a between 1 and 2", "a >= 1 and a <= 2"),
        ("not (a = 1 and b != 2)", "a != 1 or b = 2"),
        ("STATUS = 'running'", "status = 'running'"),
        ("a <> 1", "a != 1"),
        ("name like 'whole'", "name = 'whole'"),
        ("((a = 1)) and (b = 2 and c = 3)", "a = 1 and b = 2 and c = 3"),
    ] {
        assert_eq!(one.parse::<Filter>(), other.parse(), "{one}");
    }
}
