//! Texts that functions of the file give, which the program has for good. Each function is called once.

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Small,
    Large,
}

impl Kind {
    fn title(self) -> &'static str {
        note(self);
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }

    fn named(name: &str) -> Option<&'static str> {
        (name.len() > 2).then_some("long name")
    }
}

fn label<T>(n: i64, _: T) -> &'static str {
    note(n);
    if n > 3 { "many" } else { "few" }
}

mod shelf {
    pub struct Shelf(pub String);

    impl Shelf {
        pub fn title(&self) -> String {
            self.0.clone()
        }
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let kind = if n > 2 { Kind::Small } else { Kind::Large };
    let text = label(n, kind);
    let title = kind.title();
    tick().await;
    let key = fetch("a").await;
    let name = Kind::named(&key);
    drop(key);
    let own = shelf::Shelf(text.to_owned()).title();
    tick().await;
    let part = title.trim_start_matches('s');
    let length = || text.len();
    let sent = concat(label(n, ()), &fetch(kind.title()).await).await;
    let text = match n {
        0 => label(1, "a"),
        _ => title,
    };
    let last = loop {
        let label = label(act(n).await, 'a');
        if flag(n).await {
            break label;
        }
        break text;
    };
    tick().await;
    format!("{text}{title}{name:?}{own}{part}{}{sent}{last}", length())
}
