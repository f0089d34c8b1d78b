use piton::prelude::*;

#[workflow]
async fn run(cx: &Context) -> usize {
    #[expose]
    let names = vec!["a".to_owned()];
    let count = names.into_iter().count();
    cx.sleep(seconds(1)).await;
    count
}

fn main() {}
