//! Parts are moved out of what a method gives, behind an await: of a box, and of a value.

#[derive(Debug, Serialize, Deserialize)]
struct Member {
    karma: i64,
    name: Noisy,
}

#[derive(Debug, Serialize, Deserialize)]
struct Room {
    karma: i64,
}

impl Room {
    fn chair(&self) -> Box<Member> {
        Box::new(Member { karma: self.karma, name: Noisy::new("chair") })
    }

    fn both(&self) -> (i64, Member) {
        (self.karma, Member { karma: 3, name: Noisy::new("second") })
    }
}

#[workflow]
async fn program(n: i64) -> i64 {
    let room = Room { karma: n };
    let chair = room.chair();
    note(act(chair.karma).await);
    let name = chair.name;
    let pair = room.both();
    let sum = act(pair.0 + chair.karma).await;
    note(&pair.1.name);
    let moved = pair.1.name;
    let sum = act(pair.1.karma + sum).await;
    note((name, moved));
    sum
}
