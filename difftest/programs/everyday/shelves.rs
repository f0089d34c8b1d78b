//! Shelves of bins: maps of structs, changed through what they lend.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Shelf {
    bins: BTreeMap<String, Bin>,
    log: Vec<String>,
}
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Bin {
    count: i64,
    holds: Vec<i64>,
    note: Option<String>,
}
impl Shelf {
    fn bin(&mut self, sku: &str) -> &mut Bin {
        self.bins.entry(sku.to_owned()).or_default()
    }
    fn total(&self) -> i64 {
        self.bins.values().map(|b| b.count).sum()
    }
}
#[workflow]
async fn program(n: i64) -> Result<Shelf, String> {
    let mut shelf = Shelf::default();
    for line in order(n).await.lines {
        let got = act(line.count).await;
        shelf.bin(&line.sku).count += got;
        let g = act(got).await;
        shelf.bin(&line.sku).holds.push(g);
        let bin = shelf.bins.get_mut(&line.sku).ok_or_else(|| format!("no {}", line.sku))?;
        bin.note = find(bin.count).await;
        let Some(text) = bin.note.as_deref() else {
            shelf.log.push(fetch(&line.sku).await);
            continue;
        };
        let t = concat(text, &line.sku).await;
        bin.holds.push(t.len() as i64);
        if bin.holds.len() > 2 {
            bin.holds.truncate(1);
        }
    }
    let total = shelf.total();
    for (sku, bin) in &mut shelf.bins {
        bin.count -= add(total, bin.holds[0]).await;
        for h in bin.holds.iter_mut().rev() {
            *h += act(*h).await;
            shelf.log.push(sku.clone());
        }
    }
    for bin in shelf.bins.values_mut().filter(|b| b.count < 0) {
        bin.count = act(bin.count).await;
    }
    if let Some((k, _)) = shelf.bins.first_key_value() {
        let k = k.clone();
        let b = shelf.bins.remove(&k).unwrap();
        shelf.log.push(format!("{k}{b:?}{}", fetch(&k).await));
    }
    if shelf.log.len() > 8 {
        Err(shelf.log.join(","))?
    }
    Ok(shelf)
}
