//! A pattern of workflow ids names parameters and their fields.

use piton::workflow;

#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    id: u32,
}

#[workflow(id = "order-{other.id}")]
async fn no_parameter(order: Order) {}

#[workflow(id = "order-{order.number}")]
async fn no_field(order: Order) {}

#[workflow(id = "order-{order")]
async fn no_end(order: Order) {}

#[workflow(id = "order-{order.id + 1}")]
async fn no_path(order: Order) {}

#[workflow(id = "")]
async fn nothing(order: Order) {}

#[workflow(id = "order-{of}")]
async fn generic<T: Clone + serde::Serialize + serde::de::DeserializeOwned + 'static>(of: T) {}

fn main() {}
