use piton::prelude::*;

#[workflow]
async fn name(id: u64) -> String {
    format!("{id}")
}

#[workflow]
async fn returned(cx: &Context, id: u64) -> u64 {
    if id > 9 {
        return cx.continue_as_new(name(id));
    }
    id
}

#[workflow]
async fn in_a_branch(cx: &Context, id: u64) -> piton::Result<u64> {
    match id {
        0 => cx.continue_as_new(returned(1)),
        _ => Ok(id),
    }
}

#[workflow]
async fn not_returned(cx: &Context, id: u64) -> u64 {
    if id > 9 {
        cx.continue_as_new(returned(id));
    }
    id
}

fn main() {}
