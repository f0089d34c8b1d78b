//! Boxes, nested options, trees by recursion, and values moved out of them around awaits.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Tree {
    Leaf(i64),
    Node(Box<Tree>, Box<Tree>),
}

#[workflow]
async fn grow(n: i64, depth: u32) -> Tree {
    if depth == 0 || flag(n).await {
        return Tree::Leaf(act(n).await);
    }
    let left = Box::new(Box::pin(grow(n / 2, depth - 1)).await);
    Tree::Node(left, Box::new(Box::pin(grow(n + 1, depth - 1)).await))
}

#[workflow]
async fn sum(tree: Tree) -> i64 {
    match tree {
        Tree::Leaf(value) => add(value, 1).await,
        Tree::Node(left, right) => Box::pin(sum(*left)).await + Box::pin(sum(*right)).await * 2,
    }
}

#[workflow]
async fn program(n: i64) -> (i64, usize) {
    let tree = grow(n, 2).await;
    let mut nodes = vec![&tree].len();
    let copy = Box::new(tree.clone());
    let mut stack = vec![*copy];
    while let Some(next) = stack.pop() {
        nodes += 1;
        if let Tree::Node(left, right) = next {
            tick().await;
            stack.extend([*right, *left]);
        }
    }
    let mut nested = Some(Some(Box::new((String::from("held"), n))));
    if let Some(Some(inner)) = &mut nested {
        inner.1 += act(n).await;
        inner.0.push('!');
    }
    let Some(Some(boxed)) = nested.take() else { unreachable!() };
    let (text, number) = *boxed;
    note((&text, &nested));
    let mut next = Some(Box::new(Tree::Leaf(number)));
    let mut rounds = 0;
    while let Some(tree) = next.take() {
        rounds += 1;
        next = match *tree {
            Tree::Leaf(value) if rounds < 3 => {
                Some(Box::new(Tree::Node(Tree::Leaf(value).into(), Tree::Leaf(act(value).await).into())))
            }
            Tree::Node(_, right) => Some(right),
            Tree::Leaf(_) => None,
        };
    }
    (sum(tree).await, nodes + rounds + text.len())
}
