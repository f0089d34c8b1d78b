//! Two workflows that call each other, over an owned tree.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let tree = Shape::Named("root".into(), Box::new(shape(n).await));
    visit(tree, Vec::new()).await
}

#[workflow]
async fn visit(shape: Shape, mut path: Vec<String>) -> Vec<String> {
    match shape {
        Shape::Named(name, inner) => {
            path.push(fetch(&name).await);
            Box::pin(leave(*inner, path)).await
        }
        other => {
            path.push(area(other).await.to_string());
            path
        }
    }
}

#[workflow]
async fn leave(shape: Shape, path: Vec<String>) -> Vec<String> {
    tick().await;
    let mut path = Box::pin(visit(shape, path)).await;
    path.push("left".to_owned());
    path
}
