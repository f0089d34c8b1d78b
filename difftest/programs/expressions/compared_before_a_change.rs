//! Numbers that are compared are copied before the other side changes them.

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Meter {
    value: i64,
    limit: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Named {
    name: String,
    count: i64,
}

#[workflow]
async fn program(n: i64) -> (Vec<bool>, Vec<i64>, String) {
    let mut is = Vec::new();
    let mut x = n;
    is.push(x < { x += 40; act(x).await });
    is.push((x) == { x = act(1).await; x + 40 });
    is.push(x < { let y = &mut x; *y = -3; act(5).await });
    let mut v = vec![n, n + 1, n + 2];
    is.push(v[1] > { v[1] = act(2).await; 0 });
    let mut array = [n, 5];
    is.push(array[0] != { array[0] += act(3).await; n });
    let mut meter = Meter { value: n, limit: 9 };
    is.push(meter.value >= { meter.value = 100; act(meter.value).await });
    is.push(meter.limit <= { meter = Meter { value: 0, limit: 1 }; act(meter.value).await });
    let mut left = 3;
    while left > { left -= 1; act(left).await - left } {
        note(left);
    }
    // What is not changed is borrowed where it is.
    let mut named = Named { name: "name 7".to_owned(), count: n };
    is.push(named.name == { named.count += 1; fetch("name").await });
    is.push(named.name != { named.count += act(1).await; named.count.to_string() });
    (is, v, named.name)
}
