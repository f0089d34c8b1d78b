//! `@` bindings over ranges, alternatives and structures.

#[workflow]
async fn program(n: i64) -> i64 {
    let value = match act(n).await {
        low @ 0..=9 => act(low).await,
        odd @ (11 | 13 | 17) => note(odd) * 2,
        high @ 90.. => high,
        other => act(other).await,
    };
    match shape(value).await {
        whole @ Shape::Circle { .. } => area(whole).await,
        Shape::Rect(a @ 0..=4, b) => add(a, b).await,
        Shape::Rect(..) => 1,
        ref whole @ Shape::Named(ref name, _) => note(name).len() as i64 + area(whole.clone()).await,
        Shape::Point => 0,
    }
}
