//! A nested pattern that peels a value layer by layer.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let mut names = Vec::new();
    let mut current = Shape::Named("top".into(), Box::new(shape(n).await));
    while let Shape::Named(name, inner) = current {
        names.push(fetch(&name).await);
        current = *inner;
    }
    names.push(area(current).await.to_string());
    names
}
