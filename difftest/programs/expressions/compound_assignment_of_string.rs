//! Compound assignment through an operator trait: the right side still comes first or second as
//! rustc says.

#[workflow]
async fn program(n: i64) -> String {
    let mut text = fetch("a").await;
    text += &fetch("b").await;
    text += note("-");
    text += &act(n).await.to_string();
    let mut order = order(n).await;
    let borrowed = &mut order;
    (*borrowed).customer += &fetch(&borrowed.id.to_string()).await;
    let mut boxed = Box::new(fetch("boxed").await);
    *boxed += &fetch(&note(boxed.clone())).await;
    text + &order.customer + &boxed
}
