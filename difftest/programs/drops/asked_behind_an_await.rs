//! What is dropped by a `?` that is the first to happen behind an await: all that was saved, in its order.

fn joined(noisy: Noisy, n: i64) -> Noisy {
    Noisy::new(format!("{} {n}", noisy.name()))
}

#[workflow]
async fn statements(n: i64) -> Result<i64> {
    let first = Noisy::new("first");
    try_act(n).await?;
    let mut second = Noisy::new("second");
    let got = try_act(n + 1).await?;
    let third = Noisy::new(format!("third {got}"));
    let mut sum = 0;
    sum += try_act(n + 2).await?;
    sum = sum * 2 + try_act(sum + n).await?;
    second.rename("other");
    let fourth;
    fourth = Noisy::new(try_act(n + 4).await?.to_string());
    note((first.name(), second.name(), third.name(), fourth.name()));
    Ok(sum)
}

#[workflow]
async fn operands(n: i64) -> Result<Noisy> {
    let list = vec![Noisy::new("x"), Noisy::new("y")];
    let made = joined(Noisy::new("operand"), try_act(n).await?);
    let pair = (Noisy::new("left"), try_act(n + 1).await?, Noisy::new("right"));
    let price = -try_act(n + 2).await? as i64 + list[0].name().len() as i64;
    let range: Vec<i64> = (0..try_act(n * 2).await?).rev().take(2).collect();
    note((made.name(), pair.0.name(), pair.1, pair.2.name(), price, range));
    Ok(joined(made, try_act(n + 3).await?))
}

#[workflow]
async fn conditions(n: i64) -> Option<i64> {
    let outer = Noisy::new("outer");
    let inner = {
        let inner = Noisy::new("inner");
        if find(n).await?.len() > 6 {
            let within = Noisy::new("within");
            let found = try_find(n + 1).await.ok()?;
            note(within.name());
            return found;
        }
        match find(n + 1).await?.as_str() {
            "" => Noisy::new("none"),
            got if got.len() < 4 => return Some(note(n)),
            got => joined(inner, got.len() as i64),
        }
    };
    if let Some('a'..='f') = find(n + 2).await?.chars().last()
        && note(inner.name()) != "none"
    {
        return try_find(n + 2).await.ok()?.or(Some(n));
    }
    let Some(last) = Some(find(n + 3).await?).filter(|last| last.len() % 2 == 0) else {
        note(outer.name());
        return None;
    };
    Some(last.len() as i64)
}

#[workflow]
async fn loops(n: i64) -> Result<usize> {
    let mut kept = Vec::new();
    for i in 0..try_act(n).await? - 98 {
        let round = Noisy::new(format!("round {i}"));
        if i > 2 {
            break;
        }
        try_act(i * 3 + n / 2).await?;
        let text = Noisy::new(fetch("text").await);
        kept.push(joined(round, try_act(n + i).await?));
        note(text.name());
    }
    while try_act(n + kept.len() as i64).await? > 100 && kept.len() < 5 {
        kept.push(Noisy::new("more"));
    }
    Ok(kept.len())
}

#[workflow]
async fn moved(n: i64) -> Result<i64> {
    let whole = Noisy::new("whole");
    let pair = (Noisy::new("gone"), Noisy::new("stays"));
    let maybe = Some(Noisy::new("maybe"));
    drop(pair.0);
    let got = try_act(n).await?;
    if got % 2 == 0 {
        note(whole.name());
        try_act(n + 2).await?;
    }
    note(joined(whole, try_act(n + 3).await?).name());
    let got = got + try_act(n + 1).await?;
    if let Some(maybe) = maybe {
        try_act(n + 4).await?;
        note(maybe.name());
    }
    let sum = n + try_act(n + 6).await?;
    note((pair.1.name(), sum));
    Ok(got)
}

#[workflow]
async fn made_of_it(n: i64) -> Result<i64> {
    let refused = Noisy::new("refused");
    let got = try_act(n).await.map_err(|error| {
        note(error.to_string());
        error
    })?;
    let named =
        Noisy::new(find(n).await.map(|text| note(text) + "!").ok_or_else(|| Error::msg("none"))?);
    let last = Some(try_act(got + 1).await).and_then(std::result::Result::ok);
    let rescued = try_act(got + 2)
        .await
        .or_else(|error| if note(n) % 2 == 0 { Ok(4) } else { Err(error) })?;
    let item = list(n).await.pop().ok_or("none").or_else(|none| Err(Error::msg(none)))?;
    let more = rescued + try_act(n + 1).await.map_err(Error::from)? + note(item);
    let seen = try_act(n + 3).await.inspect_err(|error| _ = note(error.to_string()))?;
    note((refused.name(), named.name(), last, more, seen));
    Ok(got)
}

#[workflow]
async fn program(n: i64) -> Vec<Result<i64>> {
    let outer = Noisy::new("program");
    let got = vec![
        statements(n).await,
        operands(n).await.map(|made| made.name().len() as i64),
        Ok(conditions(n).await.unwrap_or(-1)),
        loops(n).await.map(|count| count as i64),
        moved(n).await,
        made_of_it(n).await,
        made_of_it(n * 3).await,
    ];
    note(outer.name());
    got
}
