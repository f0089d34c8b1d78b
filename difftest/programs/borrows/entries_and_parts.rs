//! Methods called on what a chain of methods lends of a local, with awaits in their arguments.

use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Group {
    members: Vec<String>,
    best: Option<Vec<i64>>,
}

#[workflow]
async fn gather(n: i64, mut by_key: BTreeMap<String, Vec<i64>>) -> Result<usize, Refused> {
    for at in 0..n.rem_euclid(3) + 1 {
        let answer = match try_act(at + n).await {
            Err(ActivityError::Failed(refused)) => Err(refused),
            other => Ok(other.unwrap_or(1)),
        };
        by_key.entry(format!("k{}", at % 2)).or_default().push(answer? + act(at).await);
    }
    note(&by_key);
    Ok(by_key.len())
}

#[workflow]
async fn program(n: i64) -> String {
    let mut index: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for at in 0..4 {
        index.entry(act(at).await % 3).or_default().push(add(at, n).await);
        index.entry(note(at) % 2).or_insert_with(Vec::new).push(act(at + 1).await);
        index.entry(at).or_insert(vec![]).extend(list(at).await);
        index.entry(at).or_default().push(total(&vec![at, n]).await + join!(act(at), flag(n)).0);
        index.entry(n).or_default().push(i64::from(matches!(loop { break act(at).await }, 1..)));
        index.entry(n).or_default().push('found: {
            for tried in 0.. {
                if tried == at {
                    continue;
                }
                if flag(tried).await {
                    break 'found tried;
                }
                if tried > 5 {
                    break;
                }
            }
            at
        });
    }
    let mut groups = vec![Group::default()];
    let name = fetch("name").await;
    groups.last_mut().unwrap().members.push(concat(&name, "!").await);
    groups.push(Group { best: Some(vec![n]), ..Group::default() });
    groups.last_mut().expect("it has just been pushed").best.as_mut().unwrap().push(act(1).await);
    groups.get_mut((n.rem_euclid(2)) as usize).unwrap().members.push(name.clone());
    let at = groups.len() - 1;
    groups.get_mut(at).unwrap().members.insert(0, fetch(&name).await);
    if let Some(count) = index.get(&1).map(Vec::len) {
        let key = 1;
        index.get_mut(&key).unwrap().push(act(count as i64).await);
    }
    let mut queue: VecDeque<Vec<i64>> = VecDeque::from([vec![n]]);
    queue.front_mut().unwrap().resize(act(2).await.rem_euclid(5) as usize, 7);
    let text = loop {
        let mut counts: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        let (one, both) = join!(
            async {
                counts.entry(n).or_default().push(act(n).await);
                counts.entry(n + 1).or_default().push(lookup("none").await.unwrap_or(3));
                counts.len()
            },
            gather(n, index.iter().map(|(key, list)| (key.to_string(), list.clone())).collect()),
        );
        note((one, &both, &counts));
        break format!("{one} {}", both.is_ok());
    };
    if n == 3 {
        let mut none: Vec<Vec<i64>> = Vec::new();
        none.last_mut().unwrap().push(act(100).await);
    }
    format!("{text} {index:?} {groups:?} {queue:?}")
}
