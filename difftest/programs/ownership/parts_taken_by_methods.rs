//! A method uses up a part of a value, of which other parts are used behind an await.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Purchase {
    id: i64,
    owner: String,
    lines: Vec<Line>,
    note: Option<String>,
    address: Address,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Address {
    street: String,
    codes: BTreeMap<String, i64>,
}

impl Address {
    fn into_label(self) -> String {
        format!("{}:{}", self.street, self.codes.len())
    }
    /// By its name it takes the address, and does not.
    fn into_own(&mut self) -> usize {
        self.street.push('!');
        self.street.len()
    }
}

fn purchase(n: i64) -> Purchase {
    let lines = vec![Line { sku: format!("s{n}"), count: n }, Line { sku: "t".to_owned(), count: 2 }];
    let codes = BTreeMap::from([("a".to_owned(), n)]);
    let address = Address { street: format!("street {n}"), codes };
    Purchase { id: n, owner: "o".to_owned(), lines, note: (n > 1).then(|| n.to_string()), address }
}

#[workflow]
async fn program(n: i64) -> (Vec<i64>, Vec<String>) {
    let (mut all, mut texts) = (Vec::new(), Vec::new());
    let order = purchase(n);
    let skus: Vec<String> = order.lines.into_iter().map(|line| line.sku).collect();
    texts.push(fetch(&skus[0]).await);
    all.push(act(order.id).await);
    texts.push(order.owner);

    let order = purchase(n);
    texts.push(fetch(&order.note.unwrap_or_default()).await);
    all.push(order.lines.len() as i64);
    texts.push(fetch(&order.address.into_label()).await);
    all.push(order.id);

    let mut order = purchase(n);
    all.push(act(std::mem::take(&mut order.address.codes).into_values().sum()).await);
    order.address.street.push('x');
    texts.push(fetch(&order.address.street).await);
    order.address.codes = table(n).await;
    note(order.address.into_label());

    let mut order = purchase(n);
    all.push(order.address.into_own() as i64);
    all.push(act(n).await);
    note(order.address.street.clone());
    all.push(act(order.address.into_own() as i64).await);
    note(order.address);
    texts.push(order.owner);

    let order = purchase(n);
    all.push(act(order.address.codes.into_iter().count() as i64).await + order.id);
    let order = purchase(n);
    let id = if n > 1 { order.note.map_or(0, |text| text.len() as i64) } else { 3 };
    all.push(act(id).await);
    all.push(order.id);
    let order = purchase(n);
    for line in order.lines.into_iter().rev() {
        all.push(act(line.count).await);
    }
    texts.push(order.owner);
    let order = purchase(n);
    all.push(order.address.codes.len() as i64 + act(order.address.into_label().len() as i64).await);
    let order = purchase(n);
    let (lines, owner) = join!(
        async { let lines = order.lines.iter().map(|line| line.count).sum(); act(lines).await },
        async { fetch(&order.owner).await }
    );
    all.push(lines + order.id);
    texts.push(owner);
    (all, texts)
}
