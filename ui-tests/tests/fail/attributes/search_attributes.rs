//! Attributes of a run are the named fields of a struct, each of a type that a filter can compare.

use piton::Attributes;

#[derive(Attributes)]
struct Unnamed(String);

#[derive(Attributes)]
enum Kinds {
    Customer,
}

#[derive(Attributes)]
struct Twice {
    customer: String,
    #[attribute(name = "customer")]
    client: String,
}

#[derive(Attributes)]
struct Reserved {
    status: String,
}

#[derive(Attributes)]
struct Misnamed {
    #[attribute(name = "customer number")]
    customer: String,
    #[attribute]
    region: String,
    #[attribute(indexed)]
    total: i64,
}

struct Opaque;

#[derive(Attributes)]
struct OfNoType {
    customer: Opaque,
    #[attribute(text)]
    note: u64,
}

fn main() {}
