//! A value of which a part has been changed, or an item, is dropped at the end of its scope.

#[workflow]
async fn program(n: i64) -> i64 {
    let named = if let Shape::Named(name, _) = *Box::new(Shape::Point) && n > 1 {
        let (_, name) = (n, name.clone());
        name
    } else {
        "first".to_owned()
    };
    let mut pair = (Noisy::new(named), Noisy::new("second"));
    let mut list = vec![Noisy::new("item"), Noisy::new("last")];
    {
        let other = Noisy::new("other");
        select! {
            _ = act(n) => {
                pair.0 = Noisy::new("changed");
            }
            _ = flag(n) => {
                list[0] = Noisy::new("new");
            }
        }
        let inner = Noisy::new("inner");
        if n > 1 && flag(n).await {
            note(1);
        }
        note(format!("{inner:?}{other:?}"));
    }
    note("end");
    n
}
