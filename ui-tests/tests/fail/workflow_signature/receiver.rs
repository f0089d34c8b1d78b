use piton::prelude::*;

struct Shop;

impl Shop {
    #[workflow]
    async fn run(self, cx: &Context) {
        cx.sleep(seconds(1)).await;
    }
}

fn main() {
    let _ = Shop;
}
