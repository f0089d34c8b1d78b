use piton::prelude::*;

#[workflow]
async fn relay<T: Durable>(value: T) -> T {
    value
}

register!();
register!(relay);
register!("relay");
register!(relay::<u64>, nam = "x");
register!(relay::<u64>, name = 3);
register!(relay::<u64>, name = "");
register!(relay::<u64> name = "x");
register!(relay::<u64>, name = "a", name = "b");

fn main() {}
