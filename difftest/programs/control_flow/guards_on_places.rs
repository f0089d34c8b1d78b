//! Guards that await, on an element, on what a box holds, and on what is borrowed to be changed.

#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    shape: Shape,
    hits: i64,
}

#[workflow]
async fn program(n: i64) -> (Vec<Shape>, BTreeMap<String, i64>, Holder) {
    let mut shapes = vec![shape(n).await, shape(n + 1).await, Shape::Rect(n, 3)];
    let mut hits = 0;
    let mut at = 0;
    while at < shapes.len() {
        match shapes[at] {
            Shape::Circle { radius } if flag(radius).await => hits += radius,
            Shape::Rect(ref mut a, b) if b > 3 && flag(*a).await => {
                *a += b;
                hits += act(*a).await;
            }
            Shape::Named(ref name, ref inner) if lookup(name).await.is_some() => {
                note(inner);
            }
            _ => {
                at += 1;
                continue;
            }
        }
        shapes[at] = shape(hits).await;
        at += 1;
    }
    for shape in &mut shapes {
        match shape {
            Shape::Rect(a, b) if flag(*a).await && *a + *b > 3 && flag(*b + 1).await => {
                *a += act(*b).await;
                *b = *a;
            }
            Shape::Named(name, inner) if **inner == Shape::Point || lookup(name).await.is_some() => {
                name.push('x');
            }
            Shape::Circle { radius: r @ 2.. } if flag(*r).await => *r += 1,
            other => *other = Shape::Rect(act(1).await, 2),
        }
    }
    let mut map = table(n + 3).await;
    for key in ["k1", "k2", "k4"] {
        match map.get_mut(key) {
            Some(v) if *v > act(1).await && flag(*v).await => *v += act(*v).await,
            Some(v) => *v -= 1,
            None => hits += 1,
        }
    }
    match &mut shapes[0] {
        Shape::Rect(a, b) if flag(*a).await && *b > 1 => {
            std::mem::swap(a, b);
            tick().await;
            *a += 1;
        }
        first => *first = Shape::Point,
    }
    let boxed = Box::new(shape(n + 2).await);
    hits += match *boxed {
        Shape::Circle { radius } if flag(radius).await => radius,
        Shape::Named(ref name, _) if lookup(name).await.is_some() => name.len() as i64,
        _ => act(n).await,
    };
    let mut holder = Holder { shape: *boxed, hits };
    let held = &mut holder.shape;
    match *held {
        Shape::Circle { ref mut radius } if flag(*radius).await => *radius += 1,
        Shape::Named(ref mut name, _) if lookup(name).await.is_some() => name.push('!'),
        Shape::Point if flag(n).await => *held = Shape::Rect(1, 2),
        _ => {}
    }
    if matches!(shapes[n as usize % 3], Shape::Rect(a, _) if flag(a).await) {
        holder.hits += 100;
    }
    (shapes, map, holder)
}
