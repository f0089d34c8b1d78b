//! Look-ups as operands beside keys that change, and beside methods of one's own by the same names.

fn show(a: Option<&i64>, b: i64) -> String {
    format!("{a:?}/{b}")
}
fn pair(a: &str, b: String) -> String {
    format!("{a}|{b}")
}
fn both(a: Option<&String>, b: Option<&String>, c: i64) -> usize {
    a.map_or(0, |x| x.len()) + b.map_or(0, |x| x.len()) + c as usize
}
#[derive(Clone, Debug, Serialize, Deserialize, Default)]
struct Own {
    calls: std::cell::Cell<i64>,
    v: Vec<i64>,
}
impl Own {
    fn get(&self, i: usize) -> Option<i64> {
        self.calls.set(self.calls.get() + 1);
        self.v.get(i).copied()
    }
    fn first(&self) -> i64 {
        self.calls.set(self.calls.get() + 10);
        self.v[0]
    }
    fn last(&self) -> Option<String> {
        note("last");
        self.v.last().map(|x| x.to_string())
    }
}

#[workflow]
async fn one(n: i64) -> String {
    let v = list(n).await;
    let mut i = 0;
    let a = show(v.get(i), {
        i += 1;
        act(i as i64).await
    });
    let b = show(v.get(i), {
        i += 1;
        act(i as i64).await
    });
    let c = show(v.iter().max(), act(1).await);
    let d = show(v.last(), act(v.len() as i64).await);
    let e = (v.first(), act(3).await).1;
    let f = [v.first().copied(), Some(act(4).await)];
    let g = format!("{:?} {:?} {}", v.first(), v.get(i), act(2).await);
    format!("{a}{b}{c}{d}{e}{f:?}{g}")
}

#[workflow]
async fn two(n: i64) -> String {
    let m = BTreeMap::from([("a".to_owned(), fetch("1").await), ("b".to_owned(), "x".to_owned())]);
    let mut k = "a".to_owned();
    let x = both(m.get(&k), m.get("b"), {
        k.push('b');
        act(1).await
    });
    let y = both(m.get(&k), m.get("b"), {
        k = "b".to_owned();
        act(2).await
    });
    let z = pair(m.get(&k).map_or("none", |s| s.as_str()), fetch("q").await);
    let w = pair(m.get(&k).map(String::as_str).unwrap_or_default(), fetch("q").await);
    let name = fetch("name with words").await;
    let u = pair(
        name.split(' ').next().unwrap_or(""),
        fetch(name.split(' ').last().unwrap_or("none")).await,
    );
    let t = pair(name.trim_start_matches('n'), name.to_uppercase() + &fetch("t").await);
    format!("{x}{y}{z}{w}{u}{t}{k}{n}")
}

#[workflow]
async fn three(n: i64) -> String {
    let own = Own { v: vec![n, 2, 3], ..Default::default() };
    let a = (own.get(1), act(1).await);
    let b = (own.first(), act(2).await, own.get(7));
    let c = own.last().unwrap_or_default() + &fetch("c").await;
    let d = (own.last(), own.get(0).unwrap_or(5) + act(3).await);
    let third: Option<i64> = own.get(2);
    let e = if let Some(x) = third
        && act(x).await > 1
    {
        x
    } else {
        0
    };
    format!("{a:?}{b:?}{c}{d:?}{e}{:?}", own.calls)
}

#[workflow]
async fn four(n: i64) -> Option<String> {
    let mut v = vec![Noisy::new("a"), Noisy::new(fetch("b").await)];
    let o: Option<Noisy> = (n % 2 == 0).then(|| Noisy::new("o"));
    let x = (v.first()?.name().len(), act(1).await);
    let y = (o.as_ref().map(|x| x.name().len()), act(2).await, o.as_ref()?.name().to_owned());
    let z = note((v.iter().find(|x| x.name() == "a").map(|x| x.name().len()), act(3).await));
    v.push(Noisy::new(v.first()?.name().to_owned() + &fetch("z").await));
    let _ = (v.pop(), act(4).await);
    Some(format!("{x:?}{y:?}{z:?}{}", v.len()))
}

#[workflow]
async fn program(n: i64) -> i64 {
    note(one(n).await);
    note(two(n).await);
    note(three(n).await);
    note(four(n).await);
    n
}
