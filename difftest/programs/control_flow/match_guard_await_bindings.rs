//! Guards that await and use what their patterns bind, of which the arms then take hold.

#[workflow]
async fn by_value(n: i64) -> String {
    match shape(n).await {
        Shape::Circle { radius } if flag(radius).await => format!("circle {radius}"),
        Shape::Named(name, inner) if *inner == Shape::Point && name.len() > act(2).await as usize => {
            tick().await;
            name + &format!("{inner:?}")
        }
        Shape::Rect(a, b) | Shape::Circle { radius: a @ b } if note(format!("{a}")).len() > 1 => {
            format!("{a}{b}")
        }
        whole @ (Shape::Named(..) | Shape::Rect(..)) if area(whole.clone()).await > 20 => {
            format!("{whole:?}")
        }
        other => format!("other {other:?}"),
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let mut out = String::new();
    for round in 0..3 {
        match &order.lines {
            lines if lines.len() > 4 => out.push('m'),
            _ if price(&order).await > 100 => break,
            _ if round == 2 => continue,
            lines => out.push_str(&lines.len().to_string()),
        }
    }
    let found = match find(n).await {
        Some(text) if concat(&text, "!").await.len() % 2 == 0 => text,
        Some(text) if text.len() > 3 => fetch(&text).await,
        Some(_) => return out,
        None => "none".to_owned(),
    };
    out + &found + &by_value(n).await + &by_value(n + 1).await + &by_value(n + 3).await
}
