//! Expansions as text.

use proc_macro2::TokenStream;

use super::expand;
use crate::diagnostics::Diagnostics;

fn expansion(args: &str, item: &str) -> String {
    let tokens = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let output = expand(tokens(args), tokens(item), Diagnostics::new());
    match syn::parse2(output.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => output.to_string(),
    }
}

#[test]
fn an_activity_with_everything() {
    insta::assert_snapshot!(expansion(
        "name = \"shop.charge\", start_to_close = \"30s\", queue = \"gpu\", heartbeat = \"5s\", \
         schedule_to_start = \"1h\", delay = \"10m\", at_most_once, max_concurrent = 8, \
         retry(max_attempts = 5, non_retryable = [Declined::Limit | Declined::Stolen, Declined::Lost])",
        "/// Charges a card.
         #[tracing::instrument]
         pub(crate) async fn charge(
             cx: &ActivityContext,
             order: &str,
             (low, high): (u64, u64),
         ) -> Result<Receipt, Declined> {
             bank::charge(cx, order, low..high).await
         }",
    ));
}

#[test]
fn an_activity_with_a_place_on_its_queue() {
    let text = expansion(
        "queue = \"email\", key = \"{to}:{letter.id}\", partition = \"{letter.tenant}\"",
        "async fn send(to: String, letter: &Letter) {}",
    );
    let made = text.split_once("fn send").expect("it makes a call").1;
    let parts = [
        "let __piton_key",
        "let __piton_partition",
        ".keyed(__piton_key)",
        ".within(__piton_partition)",
    ];
    // The arguments may be moved into the call, so what is made of them comes first.
    let places: Vec<_> = parts.iter().map(|part| made.find(part).expect("it is there")).collect();
    assert!(places.is_sorted(), "{made}");
}

#[test]
fn a_key_needs_a_text_between_its_values() {
    let text = expansion(
        "queue = \"email\", key = \"{to}{subject}\"",
        "async fn send(to: u32, subject: u32) {}",
    );
    assert!(text.contains("two placeholders of the key have no text between them"), "{text}");
}

#[test]
fn an_activity_with_a_transaction() {
    insta::assert_snapshot!(expansion(
        "transaction",
        "async fn book(cx: &ActivityContext, db: &mut PgConnection, cents: i64) -> Result<(), Full> {
             ledger::add(db, cents).await
         }",
    ));
}

#[test]
fn an_activity_without_anything() {
    insta::assert_snapshot!(expansion("", "async fn ping() {}"));
}

#[test]
fn a_mistake_in_the_attribute_leaves_the_activity() {
    let text = expansion("start_to_close = \"soon\"", "async fn ping() {}");
    assert!(text.contains("compile_error!"));
    assert!(text.contains("impl ::piton::__private::Activity for ping"));
}

#[test]
fn a_mistake_in_the_signature_leaves_a_function_for_the_callers() {
    let text =
        expansion("", "async fn ping<T>(cx: &ActivityContext, value: T) -> Result<u8, E> { a }");
    assert!(text.contains("an activity cannot be generic"));
    assert!(text.contains("fn ping<T>(\n    value: T,\n) -> ::piton::__private::ActivityCall<"));
}

#[test]
fn a_body_that_does_not_parse_is_kept() {
    let text = expansion("", "async fn ping() -> u8 { let x = ; x. }");
    assert!(text.contains("let x = ; x ."));
    assert!(!text.contains("compile_error"));
}

#[test]
fn anything_may_be_under_the_attribute() {
    for item in ["", "struct X;", "fn", "async fn f(", "async fn f(self: &mut Self) -> &dyn X {}"] {
        let Ok(item) = item.parse::<TokenStream>() else { continue };
        for args in ["", "= , = (", "retry(((", "name", "retry = 5, retry()"] {
            let Ok(args) = args.parse::<TokenStream>() else { continue };
            expand(args, item.clone(), Diagnostics::new());
        }
    }
}
