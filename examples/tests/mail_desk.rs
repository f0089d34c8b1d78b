//! The mail desk, as a program of its own.

#![allow(missing_docs, clippy::unwrap_used)]

use std::process::Command;

#[test]
fn a_letter_that_has_failed_is_sent_once_it_can_be() {
    let output = Command::new(env!("CARGO_BIN_EXE_mail_desk")).output().unwrap();
    let expected = "Welcome, sent to ada, 12 St James's Square\n\
                    Order 1, sent to ada, 12 St James's Square\n\
                    confirmed: Order 1 for ada\n\
                    Order 2, sent to ada, 12 St James's Square\n\
                    confirmed: Order 2 for ada\n\
                    not confirmed: true\n\
                    not confirmed: true\n\
                    failed: send_letter grace:Welcome: grace has no address\n\
                    the failed letters are sent again\n\
                    Welcome, sent to grace, 3 Harbor Street\n\
                    Order 5, sent to grace, 3 Harbor Street\n\
                    confirmed: Order 5 for grace\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
