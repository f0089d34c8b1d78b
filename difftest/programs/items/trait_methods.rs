//! Methods of local traits on locals that cross awaits.

trait Describe {
    fn describe(&self) -> String;
    fn rename(self, name: &str) -> Self;
}

impl Describe for Order {
    fn describe(&self) -> String {
        format!("{}/{}", self.id, self.customer)
    }

    fn rename(mut self, name: &str) -> Self {
        self.customer = name.to_owned();
        self
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let before = order.describe();
    let order = order.rename(&fetch("new name").await);
    tick().await;
    concat(&before, &order.describe()).await
}
