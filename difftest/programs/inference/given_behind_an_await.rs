//! Numbers, maps, pairs and what follows a `let` with `else`, which are given behind an await in one branch and looked
//! at in another.

#[workflow]
async fn program(n: i64) -> Result<i64, ActivityError<Refused>> {
    let mut most = 0_i64;
    let mut prices: BTreeMap<i64, String> = BTreeMap::new();
    let mut first: Option<Vec<String>> = None;
    let mut pair: (Option<Noisy>, i64) = (None, 0);
    for x in 0..6 {
        if x == 0 {
            most = try_act(x).await?;
        } else {
            most = most.max(x).pow(2).min(50);
        }
        let key = x % 2;
        match prices.get(&key) {
            None => {
                let text = match x {
                    0 => fetch("zero").await,
                    _ => try_fetch("one").await.unwrap_or_default(),
                };
                prices.insert(key, text);
            }
            Some(text) if text.ends_with('t') => {
                note(text.len());
            }
            Some(text) => {
                note(text.to_uppercase());
            }
        }
        match x {
            0 => {
                let (text, line) = join!(fetch("left"), async { act(x).await * 2 });
                pair = (Some(Noisy::new(text)), line);
            }
            1 if pair.0.as_ref().is_some_and(|noisy| noisy.name().len() > 3) => pair.1 += 1,
            _ => pair.1 = pair.1.rem_euclid(7),
        }
        let Some(text) = &first else {
            let (text, _) = select! {
                text = fetch("select") => (text, 1),
                _ = tick() => continue,
            };
            first = Some(vec![text]);
            continue;
        };
        note(text.iter().map(|text| text.len()).sum::<usize>());
    }
    note(pair.0.map(|noisy| noisy.name().to_owned()));
    Ok(most + pair.1 + n)
}
