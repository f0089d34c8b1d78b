//! `&map[&key]`, with a key that may change once what has been found is used up, in depth, and as an operand.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shelf {
    title: String,
    counts: Vec<i64>,
}

fn at(n: usize) -> usize {
    note(n);
    n
}

#[workflow]
async fn program(n: i64) -> Option<String> {
    let shelf = |title: &str, counts: &[i64]| Shelf { title: title.to_owned(), counts: counts.to_vec() };
    let shelves = BTreeMap::from([(0, shelf("low", &[1, 2])), (1, shelf("high", &[3]))]);
    let mut id = n.rem_euclid(2);
    let shelf = &shelves[&id];
    let title = shelves[&id].title.as_str();
    let first = &shelves[&id].counts[0];
    let Shelf { counts, .. } = &shelves[&id];
    tick().await;
    note((shelf, title, first, counts));
    id = 1 - id;
    let sent = concat(&shelves[&id].title, &fetch(shelves[&(1 - id)].title.as_str()).await).await;
    let last = match &shelves.get(&(id + 0))?.counts[..] {
        [.., last] => last,
        [] => return None,
    };
    tick().await;
    // What is looked for is evaluated only where the rest has been found.
    let found = shelves.get(&n.rem_euclid(3))?.counts.get(at(0))?;
    let same = &shelves.get(&n.rem_euclid(3))?.counts[at(0)];
    let names = vec!["a".to_owned(), "b".to_owned()];
    let words = BTreeMap::from([("a".to_owned(), "ant".to_owned()), ("b".to_owned(), "bee".to_owned())]);
    for name in &names {
        let word = &words[name];
        let both = concat(&words[name], &fetch(word).await).await;
        note((both, word));
    }
    let mut at = 0;
    while at < 2 {
        let word = words.get(&names[at]).unwrap();
        let same = &words[&names[at]];
        at += 1;
        tick().await;
        note((word, same));
        let sum = add(words[&names[at - 1]].len() as i64, act(n).await).await;
        note((concat(&words[&names[at - 1]], &fetch("x").await).await, sum));
    }
    let (one, two) = join!(
        async {
            let word = &words[&names[0]];
            tick().await;
            word.len()
        },
        async {
            let word = words[&names[1]].as_str();
            tick().await;
            word.len()
        }
    );
    Some(format!("{sent}{last}{found}{same}{one}{two}"))
}
