//! A method that takes what it is called on takes it before its arguments change it.

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Meter {
    value: i64,
    limit: i64,
}

impl Meter {
    fn left_of(self, used: i64) -> i64 {
        self.limit - self.value - used
    }
}

#[workflow]
async fn program(n: i64) -> (Vec<i64>, i64, i64) {
    let mut opt = Some(n);
    let a = opt.unwrap_or({ opt = None; act(1).await });
    let b = opt.unwrap_or({ opt = Some(4); act(2).await });
    let c2 = opt.map_or(0, |x| x) + opt.unwrap_or({ note(opt.take()); act(6).await });
    let mut v = vec![n, n + 1, n + 2];
    let c3 = v[0].max({ v.insert(0, 100); act(7).await });
    let c = v[2].min({ v[2] = -1; act(v[2]).await });
    let mut meter = Meter { value: n, limit: 90 };
    let d = meter.left_of({ meter.limit = 0; act(3).await });
    let e = meter.limit.saturating_sub({ meter.limit -= 7; act(4).await });
    // What a method borrows stays where it is.
    v.push({ let len = v.len() as i64; act(len).await });
    v.push(act(v.iter().sum()).await);
    let mut named = (String::from("name"), n);
    let f = named.0.eq({ named.1 = act(8).await; "name" });
    (v, a * 10 + b + c2 * c3, c * 1000 + d * 100 + e + i64::from(f) + named.1)
}
