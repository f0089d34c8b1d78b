//! Activities that write through a connection, which is no part of the call.

use piton::prelude::*;
/// Stands for `piton::sqlx::PgConnection`.
struct Connection;

#[activity(transaction)]
async fn book(db: &mut Connection, order: &str) -> u64 {
    let _ = (db, order);
    7
}

#[activity(transaction, name = "again")]
async fn book_again(cx: &ActivityContext, connection: &mut Connection, order: String) {
    let _ = (cx, connection, order);
}

#[workflow]
async fn order(name: String) -> u64 {
    let booked = book(&name).await;
    book_again(name).await;
    booked
}

#[test]
fn the_call_takes_the_other_parameters() {
    assert_eq!(format!("{:?}", book("one")), "ActivityCall { activity: \"book\", .. }");
}
