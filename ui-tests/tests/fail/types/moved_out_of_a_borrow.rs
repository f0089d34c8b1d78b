//! A part that is moved out of what a method lends, behind an await: the borrow is held by its parts there.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Member {
    karma: u64,
    name: String,
}

#[derive(Serialize, Deserialize)]
struct Room {
    members: Vec<Member>,
}

impl Room {
    fn first(&self) -> &Member {
        &self.members[0]
    }

    fn chair(&self) -> Option<&Member> {
        self.members.last()
    }
}

#[activity]
async fn rate(karma: u64) -> u64 {
    karma
}

#[workflow]
async fn names(room: Room) -> Vec<String> {
    let member = room.first();
    rate(member.karma).await;
    let mut names = vec![member.name];
    if let Some(chair) = room.chair() {
        rate(chair.karma).await;
        names.push(chair.name);
    }
    names
}

fn main() {}
