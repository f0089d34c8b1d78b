use piton::prelude::*;

#[activity]
async fn load(number: u64) -> String {
    number.to_string()
}

#[workflow]
async fn lent(mut notes: Vec<String>) -> String {
    let last = notes.last().unwrap();
    async {
        notes.push(load(1).await);
    }
    .await;
    last.clone()
}

#[workflow]
async fn borrowed(mut notes: Vec<String>) -> Vec<String> {
    let all = &mut notes;
    select! {
        _ = async { load(notes.len() as u64).await; } => all.clear(),
        _ = load(2) => {}
    }
    notes
}

#[workflow]
async fn gone_through(mut notes: Vec<String>) {
    for note in &notes {
        join!(async { notes.push(load(1).await) }, load(note.len() as u64));
    }
}

#[workflow]
async fn of_other_parts(mut pair: (Vec<String>, u64)) -> (Vec<String>, u64) {
    let notes = &mut pair.0;
    async {
        pair.1 += load(1).await.len() as u64;
    }
    .await;
    notes.clear();
    pair
}

#[workflow]
async fn by_way_of_a_borrow(mut notes: Vec<String>) -> usize {
    let all = &mut notes;
    let last = all.last().unwrap();
    async {
        load(all.len() as u64).await;
    }
    .await;
    let more = last.len();
    if let Some(first) = all.first() {
        async {
            all.push(load(1).await);
        }
        .await;
        return first.len();
    }
    more
}

fn main() {}
