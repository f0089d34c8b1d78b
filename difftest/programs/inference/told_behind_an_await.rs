//! What a branch assigns behind its await tells the type that another branch needs.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut best = None;
    for x in list(n).await {
        match best {
            None => best = Some(fetch("a").await),
            Some(ref text) if text.len() > 6 => break,
            Some(_) => {
                note(x);
            }
        }
    }
    let mut last = None;
    for x in list(n).await {
        if last.is_none() {
            last = Some(fetch("b").await);
        } else if last.as_ref().is_some_and(|text| text.len() > 2) {
            note(x);
        }
    }
    let mut names = Vec::new();
    let mut owner = None;
    for x in list(n).await {
        if names.is_empty() {
            let name = fetch("c").await;
            let text = name + "d";
            owner = Some(Noisy::new(text.clone()));
            names.push(text);
        } else if names.iter().any(|name| name.len() > 3) {
            match owner {
                Some(ref owner) if owner.name().len() > 100 => break,
                _ => tick().await,
            };
        }
        note(x);
    }
    let mut texts = BTreeMap::new();
    for x in list(n).await {
        match texts.get(&x) {
            None => {
                texts.insert(x, fetch("e").await);
            }
            Some(text) if text.len() > 3 => {
                note(x);
            }
            Some(_) => {}
        }
    }
    note(texts);
    names.len() as i64
}
