//! A customer is taken in: checks side by side, documents that are asked for, a decision by somebody.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Profile {
    name: String,
    score: Option<i64>,
    documents: BTreeMap<String, Document>,
    history: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Document {
    Missing { asked: u32 },
    Given(String),
    Rejected { reason: String, previous: Box<Document> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Event {
    Asked(String),
    Scored(i64),
    Decided { by: String, yes: bool },
}

impl Profile {
    fn is_complete(&self) -> bool {
        self.documents.values().all(|document| matches!(document, Document::Given(_)))
    }

    fn log(&mut self, event: Event) -> usize {
        self.history.push(event);
        self.history.len()
    }
}

#[workflow]
async fn check(profile: Profile) -> Result<i64, Refused> {
    let (score, known, letters) = join!(
        try_act(profile.name.len() as i64),
        lookup(&profile.name),
        async {
            let mut letters = 0;
            for (name, document) in &profile.documents {
                if let Document::Given(text) = document {
                    letters += text.len() as i64;
                    letters += add(letters, name.len() as i64).await;
                }
            }
            letters
        },
    );
    let score = match score {
        Ok(score) => score,
        Err(ActivityError::Failed(refused)) if refused.code % 2 == 0 => return Err(refused),
        Err(_) => 0,
    };
    Ok(score + known.unwrap_or_default() + letters)
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Result<Profile, String> {
    let mut profile = Profile { name: fetch(&format!("customer {n}")).await, ..Profile::default() };
    for name in words("passport lease").await {
        profile.documents.insert(name, Document::Missing { asked: 0 });
    }
    let mut rounds = 0;
    while !profile.is_complete() && rounds < 3 {
        rounds += 1;
        let names: Vec<String> = profile.documents.keys().cloned().collect();
        for name in &names {
            let Some(document) = profile.documents.get_mut(name) else { unreachable!() };
            match document {
                Document::Given(_) => continue,
                Document::Missing { asked } if *asked > 1 => {
                    *document = Document::Given(fetch(name).await);
                }
                Document::Missing { asked } => {
                    *asked += 1;
                    if flag(i64::from(*asked) + n).await {
                        *document = Document::Given(concat(name, "!").await);
                    }
                }
                Document::Rejected { previous, .. } => {
                    let before = std::mem::replace(&mut **previous, Document::Missing { asked: 9 });
                    note(format!("{before:?}"));
                    *document = before;
                }
            }
            profile.log(Event::Asked(name.clone()));
        }
        if rounds == 2
            && let Some((name, document)) = profile.documents.iter_mut().next()
        {
            let reason = concat("not ", name).await;
            let previous = Box::new(document.clone());
            *document = Document::Rejected { reason, previous };
        }
    }
    let checked = check(profile.clone()).await;
    match &checked {
        Ok(score) => profile.log(Event::Scored(*score)),
        Err(refused) => return Err(concat("refused ", &refused.code.to_string()).await),
    };
    let score = checked.map_err(|refused| refused.to_string())?;
    profile.score.get_or_insert(score);
    let decided = select! {
        Approve { by } = cx.signal::<Approve>(), if score > 10 => Event::Decided { by, yes: true },
        _ = cx.sleep(days(2)) => {
            let by = fetch("clerk").await;
            Event::Decided { yes: by.len() % 2 == 0, by }
        }
    };
    let Event::Decided { yes, .. } = &decided else { unreachable!() };
    if !yes && profile.history.len() > 4 {
        profile.history.drain(..2);
    }
    let at = profile.log(decided);
    note(act(at as i64).await);
    Ok(profile)
}
