//! Patterns that take apart, or borrow from, values of enums with one variant only.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Only {
    One(i64, String),
}
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Named {
    It { k: i64, s: String },
}
#[workflow]
async fn program(n: i64) -> String {
    let mut e = Only::One(n, "a".into());
    let Only::One(k, s) = &mut e;
    *k += act(*k).await;
    s.push_str(&fetch(s).await);
    let Only::One(ref a, ref mut b) = e;
    b.push_str(&fetch(&a.to_string()).await);
    b.push('z');
    let it = Named::It { k: n, s: "q".into() };
    let Named::It { k, ref s } = it;
    tick().await;
    note((k, s));
    let Named::It { s, .. } = it;
    tick().await;
    let Only::One(x, y) = e;
    let z = async {
        let Only::One(p, q) = Only::One(x, y);
        tick().await;
        format!("{p}{q}")
    }
    .await;
    s + &z
}
