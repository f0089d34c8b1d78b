use std::ops::AddAssign;

use piton::machine::ActivityCall;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    id: u64,
    items: Vec<u64>,
}

#[activity]
async fn pack(number: u64) -> u64 {
    number
}

#[activity]
async fn ship(order: &Order) -> u64 {
    order.id
}

#[activity]
async fn stock(item: u64) -> Option<u64> {
    Some(item)
}

#[derive(Signal, Serialize, Deserialize)]
struct Approve {
    by: String,
}

#[workflow]
async fn piton_has_its_own(cx: &Context, order: Order) -> String {
    cx.sleep(seconds(1)).await;
    let in_time = select! {
        number = ship(&order) => Some(number),
        _ = cx.sleep(minutes(1)) => None,
    };
    let mut ticks = 0;
    loop {
        cx.sleep(seconds(10)).await;
        ticks += 1;
        if ticks > 3 {
            break;
        }
    }
    let (packed, shipped) = join!(pack(1), ship(&order));
    let tried: Result<(u64, u64), String> =
        try_join!(async { Ok(pack(1).await) }, async { Ok(pack(2).await) });
    let all = join_all(order.items.iter().map(|item| pack(*item))).await;
    let Approve { by } = cx.signal::<Approve>().await;
    format!("{in_time:?} {packed} {shipped} {tried:?} {all:?} {by}")
}

#[workflow]
async fn blocks(order: Order) -> u64 {
    async fn both(order: Order) -> u64 {
        pack(1).await;
        ship(&order).await
    }
    let first = both(order.clone()).await;
    let (packed, second) = join!(pack(order.id), async {
        pack(2).await;
        ship(&order).await
    });
    let all = join_all(order.items.iter().map(|_| both(order.clone()))).await;
    first + packed + second + all.len() as u64
}

#[derive(Serialize, Deserialize)]
struct Packed {
    handle: Spawned<ActivityCall<pack>>,
}

#[workflow]
async fn handles_by_their_names(cx: &Context, order: Order) -> u64 {
    let first = Packed { handle: cx.spawn(pack(order.id)) };
    let second: Vec<Spawned<_>> = order.items.iter().map(|item| cx.spawn(pack(*item))).collect();
    let child: ChildHandle<blocks> = cx.start_child(blocks(order));
    let mut sum = first.handle.await;
    for handle in second {
        sum += handle.await;
    }
    sum + child.await.unwrap_or_default()
}

macro_rules! row {
    ($($part:expr),*) => { [$($part),*] };
}

macro_rules! packing {
    ($number:expr) => {
        pack($number)
    };
}

macro_rules! is_done {
    ($left:expr) => {
        $left == 0
    };
}

macro_rules! times {
    ($amount:expr, $rate:expr) => {{
        let amount = $amount;
        amount * $rate
    }};
}

#[workflow]
async fn definitions_that_give_values(number: u64) -> u64 {
    let mut left = packing!(number).await;
    loop {
        left = pack(left - 1).await;
        if is_done!(left) {
            break;
        }
    }
    let rate = pack(2).await;
    let total = times!(number, rate);
    pack(total).await
}

#[workflow]
async fn before_a_macro(text: String) -> Result<u64, piton::Error> {
    let rate = pack(1).await;
    let price = pack(2).await;
    let parsed: u64 = text.parse()?;
    Ok(row![rate, price, parsed].iter().sum())
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Money(u64);

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        self.0 += other.0;
    }
}

#[activity]
async fn price(number: u64) -> Money {
    Money(number)
}

fn slot_of(order: &Order) -> usize {
    order.items.len() % 3
}

#[workflow]
async fn evaluated_before(cx: &Context, order: Order) -> u64 {
    let in_stock = stock(order.id).await.is_some();
    let shipped = select! {
        number = ship(&order), if in_stock => number,
        _ = cx.sleep(seconds(1)) => 0,
    };
    let left = select! {
        left = stock(order.id) => match left {
            Some(left) => left,
            None => 0,
        },
        _ = cx.sleep(seconds(1)) => 0,
    };
    let mut sums = vec![Money::default(); 3];
    let slot = slot_of(&order);
    sums[slot] += price(order.id).await;
    shipped + left + sums[slot].0
}

#[workflow]
async fn items_of_the_body(order: Order) -> u64 {
    const LIMIT: u64 = 5;
    if ship(&order).await > 1 {
        const LOWER_LIMIT: u64 = 3;
        return pack(LOWER_LIMIT).await;
    }
    LIMIT
}
