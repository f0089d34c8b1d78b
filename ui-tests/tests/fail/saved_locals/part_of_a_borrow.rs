//! Parts of what a borrow or a guard leads to are not held by themselves: changes would be lost.

use std::collections::BTreeMap;
use std::sync::Mutex;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn rate(karma: i64) -> i64 {
    karma + 1
}

#[derive(Default, Serialize, Deserialize)]
struct Member {
    karma: i64,
}

#[derive(Default, Serialize, Deserialize)]
struct Room {
    members: BTreeMap<u64, Member>,
}

impl Room {
    fn member(&mut self, id: u64) -> &mut Member {
        self.members.entry(id).or_default()
    }
}

#[workflow]
async fn method(mut room: Room) -> Room {
    let member = room.member(1);
    member.karma = rate(member.karma).await;
    room
}

#[workflow]
async fn pattern(mut room: Room) -> Room {
    if let Some(member) = room.members.values_mut().filter(|member| member.karma == 0).last() {
        let karma = member.karma;
        member.karma = rate(karma).await;
    }
    room
}

#[workflow]
async fn guard(number: i64) -> i64 {
    let shared = Mutex::new((number, 1));
    let mut guard = shared.lock().unwrap();
    guard.0 = rate(guard.1).await;
    number
}

fn main() {}
