//! Methods of the program's own take what they are called on, by names that those of the standard library have
//! which only look at it, or change it where it is.

#[derive(Debug, Serialize, Deserialize)]
struct Crate {
    name: Noisy,
    items: Vec<i64>,
}

impl Crate {
    fn new(name: &str, items: Vec<i64>) -> Self {
        Self { name: Noisy::new(name), items }
    }

    fn join(self, other: Self) -> Self {
        Self::new("joined", [self.items, other.items].concat())
    }

    fn len(self) -> usize {
        self.items.len()
    }

    fn remove(
        self,
    ) {
        note(self.name.name());
    }

    fn fill(mut self, item: i64) {
        self.items.push(item);
        note(self.items);
    }
}

#[workflow]
async fn program(n: i64) -> usize {
    let (a, b) = (Crate::new("a", vec![n]), Crate::new("b", list(n).await));
    let both = a.join(b);
    if n > 1 {
        tick().await;
    }
    note("joined");
    let count = both.len();
    if n > 2 {
        tick().await;
    }
    note(count);
    let (c, d) = (Crate::new("c", vec![]), Crate::new("d", vec![]));
    c.remove();
    if n > 3 {
        tick().await;
    }
    note("removed");
    d.fill(n);
    if n > 4 {
        tick().await;
    }
    note("filled");
    count
}
