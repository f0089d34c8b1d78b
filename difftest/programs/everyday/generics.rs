//! Constant generics, `Self`, associated constants and traits around awaits.

trait Weighed {
    const BASE: i64;
    fn weight(&self) -> i64;
    fn heavy(&self) -> bool {
        self.weight() > Self::BASE
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parcel<T> {
    inner: T,
    stamps: [u8; 4],
}

impl Weighed for Parcel<i64> {
    const BASE: i64 = 12;
    fn weight(&self) -> i64 {
        self.inner + i64::from(self.stamps[1])
    }
}

fn sum<const N: usize>(numbers: [i64; N]) -> i64 {
    numbers.iter().sum()
}

#[workflow]
async fn program(n: i64) -> i64 {
async fn nested<T: Clone + Serialize + serde::de::DeserializeOwned + 'static>(
    value: T,
    times: i64,
) -> Vec<T> {
    let mut out = Vec::new();
    for _ in 0..times {
        tick().await;
        out.push(value.clone());
    }
    out
}

    let mut parcel = Parcel { inner: act(n).await, stamps: [1, 2, 3, act(1).await as u8] };
    parcel.stamps[(n.rem_euclid(4)) as usize] += act(2).await as u8 % 16;
    let numbers = sum([act(3).await, n, parcel.weight()]);
    if parcel.heavy() {
        parcel = Parcel { inner: <Parcel<i64> as Weighed>::BASE, ..parcel };
        tick().await;
    }
    note(nested((n, String::from("x")), 2).await);
    let [first, .., last] = parcel.stamps;
    let stacked = list(n).await.into_iter().map(|inner| Parcel { inner, stamps: [first; 4] });
    let mut total = numbers;
    for next in stacked {
        total += add(next.weight(), last as i64).await;
    }
    total
}
