//! Goods that are reserved for an order, and given back if one of them is short.

use std::collections::{BTreeMap, VecDeque};
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Sku(String);
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Bin {
    sku: Option<Sku>,
    count: u32,
    holds: Vec<Hold>,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Hold {
    order: i64,
    count: u32,
}
#[derive(Debug, Serialize, Deserialize)]
enum StockError {
    Short { sku: Sku, missing: u32 },
    Unknown(Sku),
    Down(String),
}
impl From<ActivityError<Refused>> for StockError {
    fn from(e: ActivityError<Refused>) -> Self {
        Self::Down(e.to_string())
    }
}
type Stock = BTreeMap<Sku, Bin>;
trait Total {
    fn total(&self) -> u32;
}
impl Total for Bin {
    fn total(&self) -> u32 {
        self.count - self.holds.iter().map(|h| h.count).sum::<u32>().min(self.count)
    }
}
#[workflow]
async fn reserve(
    mut stock: Stock,
    order: i64,
    wants: Vec<(Sku, u32)>,
) -> Result<Stock, (Stock, StockError)> {
    let mut taken: VecDeque<(Sku, u32)> = VecDeque::with_capacity(wants.len());
    let result: Result<(), StockError> = 'reserve: {
        for (sku, count) in wants {
            let Some(bin) = stock.get_mut(&sku) else {
                break 'reserve Err(StockError::Unknown(sku));
            };
            let free = bin.total();
            if free < count {
                let more = match try_act(order + i64::from(count)).await {
                    Ok(more) => more as u32 % 8,
                    Err(ActivityError::Failed(Refused { code })) if code > 20 => 0,
                    Err(e) => break 'reserve Err(e.into()),
                };
                bin.count += more;
                if bin.total() < count {
                    let missing = count - bin.total();
                    break 'reserve Err(StockError::Short { sku, missing });
                }
            }
            bin.holds.push(Hold { order, count });
            taken.push_back((sku, count));
        }
        Ok(())
    };
    if let Err(error) = result {
        while let Some((sku, count)) = taken.pop_back() {
            if let Some(bin) = stock.get_mut(&sku)
                && let Some(at) =
                    bin.holds.iter().rposition(|h| h.order == order && h.count == count)
            {
                let hold = bin.holds.swap_remove(at);
                note(add(hold.order, hold.count.into()).await);
            }
        }
        return Err((stock, error));
    }
    Ok(stock)
}
#[workflow]
async fn program(n: i64) -> (Stock, Vec<String>) {
    let mut stock = Stock::new();
    for (i, name) in words("bolt nut gear").await.into_iter().enumerate() {
        stock.insert(
            Sku(name.clone()),
            Bin {
                sku: (i > 0).then(|| Sku(name)),
                count: (act(n + i as i64).await % 9) as u32,
                ..Default::default()
            },
        );
    }
    let mut log = vec![];
    let skus: Vec<_> = stock.keys().cloned().collect();
    for order in 0..3_i64 {
        let wants = skus
            .iter()
            .rev()
            .skip(order as usize % 2)
            .map(|s| (s.clone(), (n.unsigned_abs() as u32 + order as u32) % 5))
            .chain((order == 2 && n % 2 == 0).then(|| (Sku("ghost".into()), 1)))
            .collect();
        stock = match reserve(stock, order, wants).await {
            Ok(stock) => stock,
            Err((stock, StockError::Short { sku: Sku(name), missing: missing @ 1..=3 })) => {
                log.push(concat(&name, &missing.to_string()).await);
                stock
            }
            Err((stock, e)) => {
                log.push(format!("{e:?}"));
                if order == 1 {
                    return (stock, log);
                }
                stock
            }
        };
    }
    (stock, log)
}
