//! Other parts of what has a key may change while what it has found is held, also by way of a borrow.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct World {
    names: BTreeMap<String, i64>,
    key: String,
    log: Vec<String>,
    at: usize,
}

#[workflow]
async fn program(n: i64) -> World {
    let names = [("a".to_owned(), n), ("ab".to_owned(), 2)].into();
    let mut world = World { names, key: "a".into(), log: vec![], at: 0 };
    let found = world.names.get(&world.key).unwrap();
    world.log.push("one".to_owned());
    world.at += 1;
    tick().await;
    note(found);
    world.key.push('b');
    let open = &mut world;
    let found = &open.names[&open.key];
    open.log.push(fetch("two").await);
    open.at += note(*found) as usize;
    let words = &open.log;
    let longest = words.iter().filter(|word| word.len() > open.key.len()).max_by_key(|word| word.len());
    open.at += 1;
    tick().await;
    note(longest);
    world
}
