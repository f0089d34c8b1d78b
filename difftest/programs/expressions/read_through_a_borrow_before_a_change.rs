//! A number is read through a borrow that ends with that, and then its owner changes it.

#[derive(Debug, Serialize, Deserialize)]
struct Meter {
    value: i64,
    limit: i64,
    name: String,
}

#[workflow]
async fn program(n: i64) -> (Vec<bool>, i64, i64) {
    let mut meter = Meter { value: n, limit: 9, name: "name".to_owned() };
    let lent = &meter;
    let sum = lent.value + { meter.value = 50; act(1).await };
    let value = &meter.value;
    let is_less = *value < { meter.value = -50; act(2).await };
    let lent = &mut meter;
    let is_more = lent.limit > { meter.limit = 1; act(4).await };
    let lent = &mut meter;
    let least = lent.value.min({ meter.value = -90; act(3).await });
    let limit = &mut meter.limit;
    let is_same = *limit == { *limit += 3; act(5).await };
    let mut list = vec![n, n + 1];
    let last = list.last_mut().unwrap();
    let is_last = *last < { *last += 30; act(6).await };
    // What is not changed is borrowed on.
    let name = &meter.name;
    let is_name = *name == { meter.value = 7; fetch("name").await };
    (vec![is_less, is_more, is_name, is_same, is_last], sum, least)
}
