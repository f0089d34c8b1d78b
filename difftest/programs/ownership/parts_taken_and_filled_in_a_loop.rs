//! A pattern takes parts that are filled again after an await.

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

#[workflow]
async fn program(n: i64) -> String {
    let mut pair = (Tag::new("a"), Tag::new("b"), n);
    let mut out = String::new();
    for i in 0..3 {
        let (a, _, k) = pair;
        out += a.name();
        out += &fetch("x").await;
        if i == k {
            drop(a);
            out += pair.1.name();
            pair.0 = Tag::new("c");
            break;
        }
        pair.0 = Tag::new(&fetch("d").await);
        pair.2 = i;
    }
    note(pair.0.name());
    tick().await;
    out + pair.1.name()
}
