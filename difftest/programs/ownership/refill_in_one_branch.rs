//! Parts moved out and put back, in one branch only, of nested structs and of tuples.

/// A value of which a copy may be dropped unseen.
#[derive(Debug, Serialize, Deserialize)]
struct Tag {
    name: String,
}

impl Tag {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Label {
    text: String,
    tags: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Parcel {
    label: Label,
    noisy: Tag,
    pair: (String, i64),
}

#[workflow]
async fn program(n: i64) -> i64 {
    let label = Label { text: "text".to_owned(), tags: vec!["tag".to_owned()] };
    let mut parcel = Parcel { label, noisy: Tag::new("noisy"), pair: ("pair".to_owned(), n) };
    if n > 1 {
        let text = parcel.label.text;
        let longer = concat(&text, "branch").await;
        parcel.label.text = longer;
        note(&text);
    }
    let first = parcel.pair.0;
    let noisy = parcel.noisy;
    parcel.pair.1 += act(1).await;
    note(noisy.name());
    parcel.pair.0 = fetch(&first).await;
    note("before the refill");
    parcel.noisy = Tag::new("another");
    tick().await;
    let Label { text, .. } = parcel.label;
    parcel.label = Label { text: concat(&text, "!").await, tags: vec![first] };
    note(format!("{parcel:?}").len());
    if n == 5 {
        drop(parcel.noisy);
        tick().await;
        note("refilled after the drop");
        parcel.noisy = Tag::new("third");
    }
    note(parcel.noisy.name());
    parcel.label.tags.len() as i64
}
