//! Activities that are functions and methods of a type, awaited, in branches and in a list.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut shop = Shop { fee: Shop::quote(n).await };
    let mut paid = shop.charge(n * 100).await;
    for line in order(n).await.lines {
        shop.fee += 1;
        paid += shop.charge(line.count).await + Shop { fee: 2 }.charge(1).await;
    }
    let (first, second) = join!(shop.charge(1), Shop::charge(&shop, 2));
    select! {
        more = shop.charge(first) => paid += more,
        other = Shop::quote(second) => paid -= other,
    }
    paid + shop.fee
}
