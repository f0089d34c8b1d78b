//! Every way in which a line can be broken.

use super::*;

const HEADER: &str = "order_id,line,customer,card,sku,quantity,unit_cents\n";

fn parse_lines(lines: &str) -> Input {
    let content = format!("{HEADER}{lines}");
    parse(content.as_bytes(), &Catalog::bundled()).expect("the header is right")
}

/// The only broken line's number and reason.
fn only_broken(input: &Input) -> (usize, &Reason) {
    match input.broken.as_slice() {
        [line] => (line.number, &line.reason),
        lines => panic!("expected one broken line, got {lines:?}"),
    }
}

fn ids(input: &Input) -> Vec<&str> {
    input.orders.iter().map(|order| order.id.as_str()).collect()
}

#[test]
fn lines_of_one_order_become_its_items() {
    let input = parse_lines(
        "A,1,Ada Kim,visa-1,PITON-UNI,2,1190\nA,2,Ada Kim,visa-1,HAMMER,1,6490\n\
         B,1,\"Boulder Barn, Leeds\",mc-2,CHALK-300,1,890\n",
    );
    assert_eq!(input.broken, []);
    assert_eq!(ids(&input), ["A", "B"]);
    assert_eq!(input.orders[0].items.len(), 2);
    assert_eq!(input.orders[0].total_cents(), 2 * 1190 + 6490);
    assert_eq!(input.orders[1].customer, "Boulder Barn, Leeds");
}

#[test]
fn an_empty_field_is_missing_and_its_order_is_left_out() {
    let input = parse_lines(
        "A,1,Ada Kim,visa-1,PITON-UNI,2,1190\nA,2,Ada Kim,visa-1,HAMMER,,6490\n\
         B,1,Bo Sato,mc-2,CHALK-300,1,890\n",
    );
    assert_eq!(only_broken(&input), (3, &Reason::Missing("quantity")));
    assert_eq!(input.left_out, ["A"]);
    assert_eq!(ids(&input), ["B"]);
}

#[test]
fn a_line_that_ends_early_lacks_its_first_missing_field() {
    let input = parse_lines("A,1,Ada Kim\n");
    assert_eq!(only_broken(&input), (2, &Reason::Missing("card")));
}

#[test]
fn a_line_without_an_order_id_touches_no_order() {
    let input = parse_lines(
        "A,1,Ada Kim,visa-1,PITON-UNI,2,1190\n,1,Bo Sato,mc-2,CHALK-300,1,890\n\
         A,2,Ada Kim,visa-1,HAMMER,1,6490\n",
    );
    assert_eq!(only_broken(&input), (3, &Reason::Missing("order_id")));
    assert_eq!(ids(&input), ["A"]);
    assert!(input.left_out.is_empty());
}

#[test]
fn numbers_are_whole_and_in_range() {
    for (quantity, unit_cents, column) in [
        ("two", "1190", "quantity"),
        ("-2", "1190", "quantity"),
        ("0", "1190", "quantity"),
        ("10001", "1190", "quantity"),
        ("1", "11.90", "unit_cents"),
        ("1", "99999999999999999999", "unit_cents"),
    ] {
        let input = parse_lines(&format!("A,1,Ada Kim,visa-1,PITON-UNI,{quantity},{unit_cents}\n"));
        match only_broken(&input) {
            (2, Reason::BadNumber { column: found, .. }) => assert_eq!(*found, column),
            other => panic!("{quantity} and {unit_cents} gave {other:?}"),
        }
    }
}

#[test]
fn an_unknown_sku_is_named() {
    let input = parse_lines("A,1,Ada Kim,visa-1,PITON-UNY,1,1190\n");
    assert_eq!(only_broken(&input), (2, &Reason::UnknownSku("PITON-UNY".into())));
}

#[test]
fn an_id_that_comes_back_does_not_touch_the_first_order() {
    let input = parse_lines(
        "A,1,Ada Kim,visa-1,PITON-UNI,2,1190\nB,1,Bo Sato,mc-2,CHALK-300,1,890\n\
         A,1,Cy Vogel,mc-3,HAMMER,1,6490\n",
    );
    let reason = Reason::DuplicateId { order_id: "A".into(), first_line: 2 };
    assert_eq!(only_broken(&input), (4, &reason));
    assert_eq!(ids(&input), ["A", "B"]);
    assert_eq!(input.orders[0].customer, "Ada Kim");
}

#[test]
fn a_repeated_or_lost_line_shows_in_the_numbering() {
    for (second, expected) in [("1", 2), ("3", 2)] {
        let input = parse_lines(&format!(
            "A,1,Ada Kim,visa-1,PITON-UNI,2,1190\nA,{second},Ada Kim,visa-1,HAMMER,1,6490\n"
        ));
        match only_broken(&input) {
            (3, Reason::OutOfSequence { expected: next, .. }) => assert_eq!(*next, expected),
            other => panic!("line {second} gave {other:?}"),
        }
        assert_eq!(input.left_out, ["A"]);
    }
}

#[test]
fn lines_of_one_order_agree_on_who_pays() {
    let input =
        parse_lines("A,1,Ada Kim,visa-1,PITON-UNI,2,1190\nA,2,Ada Kim,visa-2,HAMMER,1,6490\n");
    let reason = Reason::Contradiction { order_id: "A".into(), column: "card" };
    assert_eq!(only_broken(&input), (3, &reason));
}

#[test]
fn a_comma_too_many_is_told_apart_from_a_wrong_number() {
    let input = parse_lines("A,1,Boulder Barn, Leeds,visa-1,PITON-UNI,2,1190\n");
    assert_eq!(only_broken(&input), (2, &Reason::TooManyFields { found: 8 }));
}

#[test]
fn a_stray_quote_or_foreign_encoding_spoils_one_line() {
    let mut content = HEADER.as_bytes().to_vec();
    content.extend_from_slice(b"A,1,\"Ada Kim,visa-1,PITON-UNI,2,1190\n");
    content.extend_from_slice(b"B,1,Bj\xf8rn,mc-2,CHALK-300,1,890\r\n\r\n");
    content.extend_from_slice(b"C,1,Cy Vogel,mc-3,HAMMER,1,6490\r\n");
    let input = parse(&content, &Catalog::bundled()).expect("the header is right");
    let reasons: Vec<_> = input.broken.iter().map(|line| (line.number, &line.reason)).collect();
    assert_eq!(reasons, [(2, &Reason::Missing("card")), (3, &Reason::NotText)]);
    assert_eq!(ids(&input), ["C"]);
}

#[test]
fn the_first_line_has_to_name_the_columns() {
    assert_eq!(parse(b"", &Catalog::bundled()), None);
    assert_eq!(parse(b"id,total\nA,1\n", &Catalog::bundled()), None);
    let with_bom = format!("\u{feff}{HEADER}");
    assert_eq!(parse(with_bom.as_bytes(), &Catalog::bundled()), Some(Input::default()));
}

#[test]
fn the_bundled_file_is_what_the_documentation_says() {
    let input = parse(include_bytes!("../../data/orders.csv"), &Catalog::bundled())
        .expect("the header is right");
    assert_eq!(input.orders.len(), 209);
    assert_eq!(input.orders.iter().filter(|order| order.is_large()).count(), 12);
    let reasons: Vec<_> = input.broken.iter().map(BrokenLine::to_string).collect();
    assert_eq!(
        reasons,
        [
            "line 45: `quantity` is missing",
            "line 123: `unit_cents` is `89.OO`, not a whole number from 1 to 100000000",
            "line 226: `CARA-HSM` is not in the catalog",
            "line 280: `order_id` is missing",
            "line 345: `sku` is missing",
            "line 398: order `ORD-1031` is already on line 77",
            "line 446: `quantity` is `-2`, not a whole number from 1 to 10000",
        ]
    );
    assert_eq!(input.left_out, ["ORD-1017", "ORD-1047", "ORD-1082", "ORD-1124", "ORD-1160"]);
}
